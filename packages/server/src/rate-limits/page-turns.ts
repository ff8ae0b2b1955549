import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import { Problem } from "../problems/problem.ts";
import type { PageAsker, PageTurns } from "../time/page-turns.ts";
import { createFairQueue } from "./fair-queue.ts";

/** A person's works under way: those that have yet to ask for a page too, and those that wait for their client. */
const worksMaxOfOne = 32;
const message = "Too many requests. Please try again later.";
const retrySeconds = 10;

/**
 * One page at a time on SQLite, whose statements run on the thread that serves everybody; on PostgreSQL some, or one that waits for the lock
 * of a form would keep all others waiting.
 */
export const pagesAtOnce = { sqlite: 1, postgres: 4 } as const;

export function createPageTurns(runningMax: number = pagesAtOnce.sqlite, now?: () => number): PageTurns {
  // Bounded here, by what begins: a page in the middle of an answer can't be refused any more.
  const waitingMax = Number.POSITIVE_INFINITY;
  const bounds = { runningMax, waitingMax, waitingMaxOfOne: waitingMax, message, retrySeconds } as const;
  const queue = createFairQueue({ ...bounds, ...(now && { now }) });
  const works = new Map<string, number>();

  return {
    begin(asker, answer, part) {
      const key = keyOf(asker);
      if ((works.get(key) ?? 0) >= worksMaxOfOne)
        throw new Problem("unavailable", message, { retryAfter: retrySeconds });
      const place = createPlace(key);
      if (!answer.destroyed) {
        place.take();
        answer.once("close", place.leave);
      }
      return async (work) => {
        place.take();
        try {
          return await queue.run(asker, () => runWithTurn(work), part);
        } finally {
          place.leave();
        }
      };
    },
  };

  /** Taken by the answer while it is open, and by each page that has been asked for: a client that goes away takes none of these back. */
  function createPlace(key: string) {
    let takers = 0;
    return {
      take() {
        takers += 1;
        if (takers === 1) add(key, 1);
      },
      leave() {
        takers -= 1;
        if (takers === 0) add(key, -1);
      },
    };
  }

  function add(key: string, difference: number): void {
    const count = (works.get(key) ?? 0) + difference;
    if (count === 0) works.delete(key);
    else works.set(key, count);
  }
}

/** SQLite's statements leave the event loop no turn, nor does a client that takes all it gets: who waits has one before the next page. */
export async function runWithTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await nextTurnOfTheLoop();
  }
}

function keyOf({ accountId, personId }: PageAsker): string {
  return `${accountId} ${personId}`;
}
