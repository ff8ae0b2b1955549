import { ApiError } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { type Confirmation, sessionApi } from "../api/session-api.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { PasswordDialog } from "../session/password-dialog.tsx";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { BackupCodes } from "./backup-codes.tsx";

/** Password, then the secret for the app and its first code, then the backup codes. Until the code was right nothing changes. */
export function SetUpSecondFactor({
  onClose,
  onTurnedOn,
}: {
  readonly onClose: () => void;
  readonly onTurnedOn: () => void;
}) {
  const texts = text.secondFactor;
  const enabling = useMutation({
    mutationFn: (confirmation: Confirmation) => withFreshSession(() => sessionApi.enableSecondFactor(confirmation)),
    meta: { isSignIn: true }, // a wrong password is no ended session
    gcTime: 0, // the secret must not outlive this dialog
  });
  const verifying = useMutation({
    mutationFn: (code: string) => withFreshSession(() => sessionApi.verifyCode(code)),
    meta: { isSignIn: true },
    onSuccess: onTurnedOn,
  });

  const fieldErrors = useFieldErrors(verifying.error, ["code"]);
  // From the moment in which the code is sent it may be on, whether or not the answer arrives.
  const isPerhapsOn = verifying.isPending || (verifying.isError && !(verifying.error instanceof ApiError));

  if (enabling.data === undefined)
    return (
      <PasswordDialog
        action={text.common.next}
        asking={enabling}
        intro={texts.passwordIntro}
        onClose={onClose}
        title={texts.setUpTitle}
      />
    );
  const { totpURI: uri, backupCodes } = enabling.data;
  if (verifying.isSuccess) return <BackupCodes codes={backupCodes} key="codes" onClose={onClose} />;
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <ActionDialog
      action={texts.turnOn}
      form={fieldErrors.form}
      isPending={verifying.isPending}
      key="scan"
      onClose={onClose}
      onConfirm={(data) => verifying.mutate(String(data.get("code")))}
      title={texts.scanTitle}
    >
      <p>{texts.scanIntro}</p>
      <div className="grid justify-items-center">
        <QrCode content={uri} label={texts.qrLabel} />
      </div>
      {/* A telephone can't scan its own screen. */}
      <a className="hidden items-center font-medium text-accent underline pointer-coarse:inline-flex" href={uri}>
        {texts.openApp}
      </a>
      <div className="grid gap-1">
        <p className="font-medium">{texts.secret}</p>
        <div className="flex flex-wrap items-center gap-2">
          <code translate="no" className="break-words font-mono text-sm" data-testid="secret">
            {secret.match(/.{1,4}/g)?.join(" ")}
          </code>
          <CopyButton value={secret} />
        </div>
      </div>
      {fieldErrors.isElsewhere && <ErrorNotice error={verifying.error} />}
      {isPerhapsOn && <ShownOnce leave={texts.leaveCodes} />}
      <TextField
        autoComplete="one-time-code"
        data-focus
        className="max-w-40"
        error={fieldErrors.at("code")}
        hint={texts.codeHint}
        inputMode="numeric"
        label={texts.code}
        maxLength={7}
        name="code"
        required
      />
    </ActionDialog>
  );
}
