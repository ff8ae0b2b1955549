import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { Inbox, InboxState } from "./inbox.ts";
import { ReloadButton } from "./reload-button.tsx";

/**
 * How far opening is, with a way to stop it. Below the list, and in sight wherever the page is scrolled: above it, the rows
 * would move under the finger once all are opened.
 */
export function OpeningProgress({
  inbox,
  state: { phase, rows, total, openedCount, failedCount },
  isRaised = false,
}: {
  readonly inbox: Inbox;
  readonly state: InboxState;
  /** On a phone, above the bar of what is selected. */
  readonly isRaised?: boolean;
}) {
  const texts = text.submissions;
  const done = openedCount + failedCount;
  const of = Math.max(total, rows.length);
  const isRunning = phase === "loading" || phase === "opening";
  if (!isRunning && phase !== "stopped") return null;
  return (
    <div
      className={`sticky bottom-2 z-10 mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-raised px-4 py-2 shadow-float print:hidden ${isRaised ? "max-sm:bottom-16" : ""}`}
    >
      <span className="tabular-nums">{isRunning ? texts.opening(done, of) : texts.stopped(done, of)}</span>
      <ProgressBar className="min-w-24 grow basis-24" done={done} label={texts.opening(done, of)} of={of} />
      <Button onClick={() => (isRunning ? inbox.stop() : inbox.resume())} small>
        {isRunning ? texts.stop : texts.resume}
      </Button>
    </div>
  );
}

/** How many could not be opened, once that is known of all. */
export function FailedRows({
  state: { phase, rows, failedCount },
  onAddKey,
  onShowFailed,
}: {
  readonly state: InboxState;
  readonly onAddKey: () => void;
  readonly onShowFailed: () => void;
}) {
  const texts = text.submissions;
  if (failedCount === 0 || phase === "loading" || phase === "opening" || phase === "stopped") return null;
  const isKeyMissing = rows.some(({ opened }) => opened?.opened === false && opened.reason === "no_key");
  const isUnloaded = rows.some(({ opened }) => opened?.opened === false && opened.reason === "not_loaded");
  return (
    <Notice
      action={
        <div className="flex flex-wrap gap-2">
          {isKeyMissing && (
            <Button onClick={onAddKey} small>
              {texts.addKey}
            </Button>
          )}
          {isUnloaded && <ReloadButton />}
          <Button onClick={onShowFailed} small>
            {texts.showFailed(failedCount)}
          </Button>
        </div>
      }
      role="status"
      title={texts.failed(failedCount)}
      tone="warning"
    >
      {isUnloaded ? texts.reasonHints.not_loaded : isKeyMissing && texts.keyMissing}
    </Notice>
  );
}
