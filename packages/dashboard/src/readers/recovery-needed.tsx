import { ApiError } from "@sealpost/sdk";
import { Link } from "@tanstack/react-router";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

const { envelopes: texts } = text;

/** Why an envelope was not stored; with the way to the recovery key where the organization wants one first. */
export function EnvelopeError({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const isNeeded = error instanceof ApiError && error.reason === "recovery_key_needed";
  if (!isNeeded) return <ErrorNotice error={error} isRepeatable {...(onRetry && { onRetry })} />;
  return (
    <Notice
      action={
        <Link className={buttonClass()} to="/recovery">
          {texts.recoveryNeededLink}
        </Link>
      }
      role="alert"
      title={texts.recoveryNeeded}
    >
      {texts.recoveryNeededHint}
    </Notice>
  );
}
