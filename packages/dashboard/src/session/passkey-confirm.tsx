import { useMutation, useQuery } from "@tanstack/react-query";
import { findPasskeySupport, PasskeyRefused, passkeyApi, passkeysQuery } from "../api/passkey-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

const { passkeys: texts } = text;

/** A passkey instead of the password and the code; nothing for who has none. */
export default function PasskeyConfirm({
  look,
  onConfirmed,
}: {
  readonly look?: "primary";
  readonly onConfirmed: () => void;
}) {
  const isAvailable = findPasskeySupport() === "available";
  const { data } = useQuery({ ...passkeysQuery, enabled: isAvailable });
  const confirming = useMutation({
    mutationFn: async () => passkeyApi.finish("confirm", await passkeyApi.ask("confirm")),
    meta: { isSignIn: true, changesNothing: true }, // a passkey that was removed is no ended session
    onSuccess: onConfirmed,
  });
  if (!isAvailable || data === undefined || data.passkeys.length === 0) return null;
  return (
    <div className="grid gap-3">
      {confirming.isError && <PasskeyError error={confirming.error} />}
      <div>
        <Button
          onClick={() => confirming.mutate()}
          pending={confirming.isPending}
          {...(look !== undefined && { look })}
        >
          {texts.confirm}
        </Button>
      </div>
    </div>
  );
}

/** Who has used no passkey reads what to do, not that something failed. */
export function PasskeyError({ error }: { readonly error: unknown }) {
  return error instanceof PasskeyRefused ? (
    <Notice role="alert">{error.message}</Notice>
  ) : (
    <ErrorNotice error={error} />
  );
}
