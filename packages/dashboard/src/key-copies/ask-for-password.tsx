import { useMutation } from "@tanstack/react-query";
import { type Confirmation, sessionApi } from "../api/session-api.ts";
import { isAlike } from "../browser/seen-password.ts";
import { PasswordDialog } from "../session/password-dialog.tsx";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";

const { ownPassphrase } = text;

const texts = ownPassphrase;

/**
 * Asks for the sign-in password, to compare it with a passphrase in this page. One that is alike is not sent: it may be the passphrase,
 * typed in the wrong place. Any other is, as at each sign-in: the server says whether it is the password.
 */
export function AskForPassword({
  passphrase,
  onAlike,
  onRight,
  onClose,
}: {
  readonly passphrase: string;
  readonly onAlike: () => void;
  readonly onRight: (password: string) => void;
  readonly onClose: () => void;
}) {
  const { user } = useSession();
  const { mutate, isPending, error } = useMutation({
    mutationFn: sessionApi.freshen,
    meta: { isSignIn: true }, // a wrong password is no ended session
    onSuccess: (_answer, { password }) => onRight(password),
    gcTime: 0,
  });
  const compare = (confirmation: Confirmation) =>
    isAlike(confirmation.password, passphrase) ? onAlike() : mutate(confirmation);
  return (
    <PasswordDialog
      action={text.common.next}
      asking={{ mutate: compare, isPending, error }}
      intro={texts.passwordIntro}
      onClose={onClose}
      title={texts.passwordTitle}
      wantsCode={user.twoFactorEnabled === true}
    />
  );
}
