import { availableParallelism } from "node:os";
import type { AccountId } from "@sealpost/wire";
import { Problem } from "../problems/problem.ts";
import { createFairLine } from "./fair-line.ts";

/**
 * Password hashes are slow on purpose, and run on the few threads that files and all other cryptography need as well. So
 * only some run at once, some requests wait, and the rest is asked to come again (docs/decisions/0009-sign-in-limits.md).
 */
export interface PasswordQueue {
  /**
   * Does what hashes passwords when its turn comes. The account's own browsers and sessions come before strangers and have waiting
   * places of their own, which accounts share alike (`FairLine`), so that neither strangers nor other accounts can take them.
   * Throws `unavailable` when no place is left.
   */
  run<Result>(from: AccountId | "stranger", work: () => Promise<Result>): Promise<Result>;
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
/** One person's tabs and devices. */
const waitingMaxOfOne = 8;
const retrySeconds = 5;
const message = "Too many passwords are being checked at this moment. Please try again.";

/** A password is that of a person. */
const toAsker = (personId: AccountId) => ({ accountId: personId, personId });

export function createPasswordQueue({
  runningMax = runningMaxDefault,
  waitingMax = waitingMaxDefault,
}: PasswordQueueOptions = {}): PasswordQueue {
  const owners = createFairLine({ waitingMax, waitingMaxOfOne, message, retrySeconds });
  const strangers: (() => void)[] = [];
  let running = 0;

  return {
    async run(from, work) {
      if (running < runningMax) {
        running += 1;
        if (from !== "stranger") owners.countTurn(toAsker(from));
      } else await (from === "stranger" ? waitAsStranger() : owners.wait(toAsker(from)));
      try {
        return await work();
      } finally {
        passTurn();
      }
    },
  };

  function passTurn(): void {
    if (owners.passTurn()) return;
    const next = strangers.shift();
    // The next in line takes over this turn.
    if (next === undefined) running -= 1;
    else next();
  }

  function waitAsStranger(): Promise<void> {
    if (strangers.length >= waitingMax) throw new Problem("unavailable", message, { retryAfter: retrySeconds });
    return new Promise((resolve) => strangers.push(resolve));
  }
}
