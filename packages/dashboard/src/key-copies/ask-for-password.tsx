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
  async function compare(confirmation: Confirmation): Promise<void> {
    if (isAlike(confirmation.password, passphrase)) return onAlike();
    await sessionApi.freshen(confirmation);
    onRight(confirmation.password);
  }
  return (
    <PasswordDialog
      action={text.common.next}
      intro={texts.passwordIntro}
      onClose={onClose}
      send={compare}
      title={texts.passwordTitle}
      wantsCode={user.twoFactorEnabled === true}
    />
  );
}
