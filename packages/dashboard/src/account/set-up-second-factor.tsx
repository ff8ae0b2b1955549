import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mayHaveArrived } from "../api/describe-error.ts";
import { type Confirmation, sessionApi } from "../api/session-api.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { PasswordDialog } from "../session/password-dialog.tsx";
import { text } from "../texts/text.ts";
import { CopyButton } from "../ui/copy.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { useSessionCheck } from "./use-session-check.ts";

/**
 * Password, then the backup codes, then the secret for the app and its first code. Until the code was right nothing changes: who
 * never hears that it was has the backup codes.
 */
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
    meta: { isSignIn: true, changesNothing: true }, // a wrong password is no ended session
    gcTime: 0, // the secret must not outlive this dialog
  });
  const [areCodesKept, setAreCodesKept] = useState(false);
  if (enabling.data === undefined)
    return (
      <PasswordDialog
        action={text.common.next}
        intro={texts.passwordIntro}
        onClose={onClose}
        send={enabling.mutateAsync}
        title={texts.setUpTitle}
      />
    );
  const { totpURI, backupCodes } = enabling.data;
  if (!areCodesKept)
    return (
      <BackupCodes
        codes={backupCodes}
        hint={texts.codesHint}
        key="codes"
        onClose={onClose}
        onKept={() => setAreCodesKept(true)}
      />
    );
  return <FirstCode key="scan" onClose={onClose} onTurnedOn={onTurnedOn} uri={totpURI} />;
}

function FirstCode({
  uri,
  onClose,
  onTurnedOn,
}: {
  readonly uri: string;
  readonly onClose: () => void;
  readonly onTurnedOn: () => void;
}) {
  const texts = text.secondFactor;
  const [isPerhapsOn, setIsPerhapsOn] = useState(false);
  const checkSession = useSessionCheck("second-factor");
  const fields = useFields({
    initial: { code: "" },
    passing: "secret",
    isSignIn: true,
    send: ({ code }) => checkSession(() => withFreshSession(() => sessionApi.verifyCode(code))),
    onSaved: onTurnedOn,
    onRefused: (error) => mayHaveArrived(error) && setIsPerhapsOn(true),
  });
  return (
    <FormDialog action={texts.turnOn} fields={fields} onClose={onClose} title={texts.scanTitle}>
      <p>{texts.scanIntro}</p>
      <Secret uri={uri} />
      {isPerhapsOn && <Notice tone="warning">{texts.perhapsOn}</Notice>}
      <TextField
        {...fields.secret("code")}
        autoComplete="one-time-code"
        className="max-w-40"
        data-focus
        hint={texts.codeHint}
        inputMode="numeric"
        label={texts.code}
        maxLength={7}
        required
      />
    </FormDialog>
  );
}

/** For the app, in three ways. */
function Secret({ uri }: { readonly uri: string }) {
  const texts = text.secondFactor;
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <>
      <div className="grid justify-items-center">
        <QrCode content={uri} label={texts.qrLabel} />
      </div>
      {/* A telephone can't scan its own screen. */}
      <a
        className="hidden items-center font-medium text-accent underline pointer-coarse:inline-flex pointer-coarse:min-h-11"
        href={uri}
      >
        {texts.openApp}
      </a>
      <div className="grid gap-1">
        <p className="font-medium">{texts.secret}</p>
        <div className="flex flex-wrap items-center gap-2">
          <code translate="no" className="wrap-anywhere font-mono text-sm" data-testid="secret">
            {secret.match(/.{1,4}/g)?.join(" ")}
          </code>
          <CopyButton value={secret} />
        </div>
      </div>
    </>
  );
}
