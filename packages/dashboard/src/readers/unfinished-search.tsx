import type { UnfinishedSearchError } from "@sealpost/sdk/envelopes";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

/** Many revisions of an envelope don't open, and there are more: asks whether to try those too. */
export function UnfinishedSearch({
  error,
  onContinue,
}: {
  readonly error: UnfinishedSearchError;
  readonly onContinue: () => void;
}) {
  const { unfinished } = text.envelopes.bringBack;
  return (
    <Notice role="alert" title={unfinished.title(error.tried)} tone="warning">
      <p>{unfinished.hint}</p>
      <Button onClick={onContinue}>{unfinished.tryAll}</Button>
    </Notice>
  );
}
