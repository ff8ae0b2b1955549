import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import { Problem } from "../problems/problem.ts";
import type { PageAsker, PageTurns } from "../time/page-turns.ts";
import { createFairQueue } from "./fair-queue.ts";

/** A person's works whose next page waits or is read. Those that wait for their client are not among them. */
const waitingMaxOfOne = 32;
const message = "Too many requests. Please try again later.";
const retrySeconds = 10;

/**
 * One page at a time on SQLite, whose statements run on the thread that serves everybody; on PostgreSQL some, or one that waits for the lock
 * of a form would keep all others waiting.
 */
export const pagesAtOnce = { sqlite: 1, postgres: 4 } as const;

export function createPageTurns(runningMax: number = pagesAtOnce.sqlite): PageTurns {
  // Bounded here, by what begins: a page in the middle of an answer can't be refused any more.
  const waitingMax = Number.POSITIVE_INFINITY;
  const queue = createFairQueue({ runningMax, waitingMax, waitingMaxOfOne: waitingMax, message, retrySeconds });
  const waiting = new Map<string, number>();

  return {
    begin(asker, part) {
      const key = keyOf(asker);
      if ((waiting.get(key) ?? 0) >= waitingMaxOfOne)
        throw new Problem("unavailable", message, { retryAfter: retrySeconds });
      return async (work) => {
        add(key, 1);
        try {
          return await queue.run(asker, () => runWithTurn(work), part);
        } finally {
          add(key, -1);
        }
      };
    },
  };

  function add(key: string, difference: number): void {
    const count = (waiting.get(key) ?? 0) + difference;
    if (count === 0) waiting.delete(key);
    else waiting.set(key, count);
  }
}

/** SQLite's statements leave the event loop no turn, nor does a client that takes all it gets: who waits has one before the next page. */
async function runWithTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await nextTurnOfTheLoop();
  }
}

function keyOf({ accountId, personId }: PageAsker): string {
  return `${accountId} ${personId}`;
}
