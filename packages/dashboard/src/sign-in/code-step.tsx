import { ApiError } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
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
  const verifying = useMutation({
    mutationFn: (code: string) => (isBackup ? sessionApi.verifyBackupCode(code) : sessionApi.verifyCode(code)),
    meta: { isSignIn: true },
    onSuccess: onSignedIn,
  });
  const fieldErrors = useFieldErrors(verifying.error, ["code"]);
  // The time is over, or there were too many wrong ones: no code helps any more.
  const isOver = verifying.error instanceof ApiError && verifying.error.status === 403;
  return (
    <SessionFrame intro={isBackup ? texts.backupIntro : texts.signInIntro} title={texts.signInTitle}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          verifying.mutate(String(new FormData(event.currentTarget).get("code")));
        }}
        ref={fieldErrors.form}
      >
        {fieldErrors.isElsewhere && <ErrorNotice error={verifying.error} />}
        <TextField
          autoComplete={isBackup ? "off" : "one-time-code"}
          autoFocus
          error={fieldErrors.at("code")}
          inputMode={isBackup ? "text" : "numeric"}
          key={String(isBackup)}
          label={isBackup ? texts.backupCode : texts.signInCode}
          maxLength={20}
          name="code"
          required
        />
        {!isOver && (
          <Button className="mt-2" look="primary" pending={verifying.isPending} type="submit">
            {text.session.signIn}
          </Button>
        )}
        <div className="flex flex-wrap justify-between gap-2">
          <Button
            look="quiet"
            onClick={() => {
              verifying.reset();
              setIsBackup(!isBackup);
            }}
            small
          >
            {isBackup ? texts.useApp : texts.useBackupCode}
          </Button>
          <Button look={isOver ? "primary" : "quiet"} onClick={onStartAgain} small>
            {texts.startAgain}
          </Button>
        </div>
        <p className="text-muted text-sm">{texts.lost}</p>
      </form>
    </SessionFrame>
  );
}
