import { availableParallelism } from "node:os";
import { Problem } from "../problems/problem.ts";

/**
 * Password hashes are slow on purpose, and run on the few threads that files and all other cryptography need as well. So
 * only some run at once, some requests wait, and the rest is asked to come again (docs/decisions/0009-sign-in-limits.md).
 */
export interface PasswordQueue {
  /**
   * Does what hashes passwords when its turn comes. The owner's own browsers and sessions come first and have waiting
   * places of their own, so that strangers can't take them. Throws `unavailable` when no place is left.
   */
  run<Result>(from: "owner" | "stranger", work: () => Promise<Result>): Promise<Result>;
}

export interface PasswordQueueOptions {
  /** How many run at once. */
  readonly runningMax?: number;
  /** How many owners may wait, and how many strangers. */
  readonly waitingMax?: number;
}

/** A hash keeps a core busy for as long as it takes, so one core is left, and at least one of Node's four threads. */
export const runningMaxDefault = Math.min(Math.max(availableParallelism() - 1, 1), 3);
/** On two cores the last of them waits for two to four seconds. */
const waitingMaxDefault = 32;
const retrySeconds = 5;

export function createPasswordQueue({
  runningMax = runningMaxDefault,
  waitingMax = waitingMaxDefault,
}: PasswordQueueOptions = {}): PasswordQueue {
  const waiting = { owner: [] as (() => void)[], stranger: [] as (() => void)[] };
  let running = 0;

  return {
    async run(from, work) {
      if (running < runningMax) running += 1;
      else await waitForTurn(waiting[from]);
      try {
        return await work();
      } finally {
        const next = waiting.owner.shift() ?? waiting.stranger.shift();
        // Who comes next takes over this turn.
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };

  function waitForTurn(line: (() => void)[]): Promise<void> {
    if (line.length >= waitingMax)
      throw new Problem("unavailable", "Too many passwords are being checked at this moment. Please try again.", {
        retryAfter: retrySeconds,
      });
    return new Promise((resolve) => line.push(resolve));
  }
}
