import { ApiError } from "@sealpost/sdk";
import { useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { SessionFrame } from "./session-frame.tsx";

/** After the right password: the code of the app, or a backup code. */
export function CodeStep({
  onSignedIn,
  onStartAgain,
}: {
  readonly onSignedIn: () => Promise<void>;
  readonly onStartAgain: () => void;
}) {
  const [isBackup, setIsBackup] = useState(false);
  const texts = text.secondFactor;
  return (
    <SessionFrame intro={isBackup ? texts.backupIntro : texts.signInIntro} title={texts.signInTitle}>
      <CodeForm
        isBackup={isBackup}
        key={String(isBackup)}
        onOther={() => setIsBackup(!isBackup)}
        onSignedIn={onSignedIn}
        onStartAgain={onStartAgain}
      />
    </SessionFrame>
  );
}

function CodeForm({
  isBackup,
  onOther,
  onSignedIn,
  onStartAgain,
}: {
  readonly isBackup: boolean;
  /** Somebody wants to type the other kind of code. */
  readonly onOther: () => void;
  readonly onSignedIn: () => Promise<void>;
  readonly onStartAgain: () => void;
}) {
  const texts = text.secondFactor;
  const fields = useFields({
    initial: { code: "" },
    passing: "secret",
    isSignIn: true,
    send: ({ code }) => (isBackup ? sessionApi.verifyBackupCode(code) : sessionApi.verifyCode(code)),
    onSaved: onSignedIn,
  });
  // The time is over, or there were too many wrong ones: no code helps any more.
  const isOver = fields.error instanceof ApiError && fields.error.status === 403;
  return (
    <FieldsForm fields={fields}>
      <TextField
        {...fields.secret("code")}
        autoComplete={isBackup ? "off" : "one-time-code"}
        autoFocus
        inputMode={isBackup ? "text" : "numeric"}
        label={isBackup ? texts.backupCode : texts.signInCode}
        maxLength={20}
        required
      />
      {!isOver && (
        <Button className="mt-2" look="primary" pending={fields.isPending} type="submit">
          {text.session.signIn}
        </Button>
      )}
      <div className="flex flex-wrap justify-between gap-2">
        <Button look="quiet" onClick={onOther} small>
          {isBackup ? texts.useApp : texts.useBackupCode}
        </Button>
        <Button look={isOver ? "primary" : "quiet"} onClick={onStartAgain} small>
          {texts.startAgain}
        </Button>
      </div>
      <p className="text-muted text-sm">{texts.lost}</p>
    </FieldsForm>
  );
}
