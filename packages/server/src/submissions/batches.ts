import { isId } from "@sealpost/wire";
import type { RunPage } from "../time/page-turns.ts";

/** The submissions of these ids, at most 1,000, or all that were received before a time. */
export type Selection = { readonly ids: readonly string[] } | { readonly before: number };

export interface Moved {
  readonly count: number;
  /** Whether there are more: a call that names no ids ends after so many that nobody waits long for it. */
  readonly hasMore: boolean;
}

/** How many rows one statement takes, and so how long one holds the database. */
export const deletionBatch = 500;
/** So many batches a call moves that names no ids. */
const batchesMax = 10;

export interface Batch {
  readonly moved: readonly { readonly id: string }[];
  /** The submissions that exist, also if they were too large for this batch. */
  readonly found: readonly { readonly id: string }[];
}

/** Batches of a selection, each in a transaction and a turn of its own: all of one that names ids, else at most `batchesMax`. */
export async function inBatches(
  runPage: RunPage,
  selection: Selection | undefined,
  run: (wanted: readonly string[] | undefined) => Promise<Batch | undefined>,
): Promise<Moved | undefined> {
  let count = 0;
  if (selection !== undefined && "ids" in selection) {
    let waiting: readonly string[] = [...new Set(selection.ids)].filter((id) => isId("submission", id));
    do {
      const wanted = waiting.slice(0, deletionBatch);
      const batch = await runPage(() => run(wanted));
      if (batch === undefined) return undefined;
      count += batch.moved.length;
      const moved = new Set(batch.moved.map(({ id }) => id));
      const left = batch.found.filter(({ id }) => !moved.has(id)).map(({ id }) => id);
      waiting = [...left, ...waiting.slice(deletionBatch)];
    } while (waiting.length > 0);
    return { count, hasMore: false };
  }
  for (let batches = 0; batches < batchesMax; batches++) {
    const batch = await runPage(() => run(undefined));
    if (batch === undefined) return undefined;
    count += batch.moved.length;
    if (batch.moved.length === batch.found.length && batch.found.length < deletionBatch)
      return { count, hasMore: false };
  }
  return { count, hasMore: true };
}
