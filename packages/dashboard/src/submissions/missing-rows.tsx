import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { findMissing, type Inbox, type InboxState } from "./inbox.ts";

/** Submissions that the service has and that are not here: an act on all rows leaves them out. */
export interface MissingRows {
  readonly here: number;
  readonly total: number;
  /** They are being loaded. */
  readonly isLoading: boolean;
  load(): void;
}

/** `undefined` where none is missing. */
export function toMissing(inbox: Inbox, state: InboxState): MissingRows | undefined {
  const missing = findMissing(state);
  if (missing === 0) return undefined;
  const here = state.rows.length;
  return { here, total: here + missing, isLoading: state.phase === "loading", load: () => inbox.loadMissing() };
}

/** Says how many are not here, and loads them. */
export function MissingNotice({ missing: { here, total, isLoading, load } }: { readonly missing: MissingRows }) {
  const texts = text.submissions.missing;
  return (
    <Notice
      action={
        isLoading ? undefined : (
          <Button onClick={load} small>
            {texts.load}
          </Button>
        )
      }
      title={texts.title(here, total)}
      tone="warning"
    >
      {isLoading ? texts.loading : undefined}
    </Notice>
  );
}
