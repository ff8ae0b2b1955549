import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { Inbox, InboxState } from "./inbox.ts";
import { ReloadButton } from "./reload-button.tsx";

/** How far opening is, with a way to stop it; and, when it is over, how many could not be opened. */
export function OpeningProgress({
  inbox,
  state: { phase, rows, total, openedCount, failedCount },
  onAddKey,
  onShowFailed,
}: {
  readonly inbox: Inbox;
  readonly state: InboxState;
  readonly onAddKey: () => void;
  readonly onShowFailed: () => void;
}) {
  const texts = text.submissions;
  const done = openedCount + failedCount;
  const of = Math.max(total, rows.length);
  const isRunning = phase === "loading" || phase === "opening";
  if (isRunning || phase === "stopped")
    return (
      <div className="card flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
        <span className="tabular-nums">{isRunning ? texts.opening(done, of) : texts.stopped(done, of)}</span>
        <ProgressBar className="min-w-24 grow basis-40" done={done} label={texts.opening(done, of)} of={of} />
        <Button onClick={() => (isRunning ? inbox.stop() : inbox.resume())} small>
          {isRunning ? texts.stop : texts.resume}
        </Button>
      </div>
    );
  if (failedCount === 0) return null;
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
