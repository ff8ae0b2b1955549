import { setImmediate } from "node:timers/promises";
import type { FormId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { rowsLookedAtMax } from "../database/looked-rows.ts";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";

/** Bounds of `receivedAt` in milliseconds, both inclusive. */
export interface CountedRange {
  readonly from: number;
  readonly to: number | undefined;
  /** When those in the bin that count were moved there, at the earliest. */
  readonly binnedFrom?: number | undefined;
}

/** Counts between two times, one at a time, in turns that accounts share alike: no number keeps them, so each looks at all that it counts. */
export function createCountQueue(): FairQueue {
  return createFairQueue({
    runningMax: 1,
    waitingMax: 256,
    waitingMaxOfOne: 8,
    message: "Too many requests. Please try again later.",
    retrySeconds: 10,
  });
}

/** How many rows of a form were received then. Each statement looks at a bounded number of them, and others have their turn between two. */
export async function countReceived(
  database: Database,
  table: "submission" | "submission_bin",
  formId: FormId,
  { from, to, binnedFrom = 0 }: CountedRange,
): Promise<number> {
  let start = { received_at: from, sequence: 0 };
  for (let counted = 0; ; ) {
    const next = await rowsFrom(start)
      .select(["received_at", "sequence"])
      .orderBy("received_at")
      .orderBy("sequence")
      .offset(rowsLookedAtMax)
      .limit(1)
      .executeTakeFirst();
    counted += await countOne(start, next);
    if (next === undefined) return counted;
    start = next;
    await setImmediate();
  }

  function rowsFrom({ received_at, sequence }: typeof start) {
    const rows = database
      .selectFrom(table)
      .where("form_id", "=", formId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple("received_at", "sequence"), ">=", tuple(received_at, sequence)));
    return to === undefined ? rows : rows.where("received_at", "<=", to);
  }

  async function countOne(first: typeof start, next: typeof start | undefined): Promise<number> {
    let rows = rowsFrom(first).select(({ fn }) => fn.countAll<number>().as("count"));
    if (next !== undefined)
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("received_at", "sequence"), "<", tuple(next.received_at, next.sequence)),
      );
    if (table === "submission_bin" && binnedFrom > 0)
      rows = rows.where("binned_at" as never, ">=", binnedFrom as never);
    return Number((await rows.executeTakeFirstOrThrow()).count);
  }
}
