import { availableParallelism } from "node:os";
import type { AccountId } from "@sealpost/wire";
import { toNestedNetworks } from "./client-address.ts";
import { createFairLine } from "./fair-line.ts";

/**
 * Password hashes are slow on purpose, and run on the few threads that files and all other cryptography need as well. So
 * only some run at once, some requests wait, and the rest is asked to come again (docs/decisions/0009-sign-in-limits.md).
 */
export interface PasswordQueue {
  /**
   * Does what hashes passwords when its turn comes. The account's own browsers and sessions come before strangers and have waiting
   * places of their own, which accounts share alike (`FairLine`), so that neither strangers nor other accounts can take them. Strangers share theirs by the
   * networks of their addresses (`ip`). Throws `unavailable` when no place is left.
   */
  run<Result>(from: AccountId | "stranger", work: () => Promise<Result>, ip?: string): Promise<Result>;
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

/** Somebody who is known neither by a browser nor by a session. */
const anybody = { accountId: "", personId: undefined };
/** A password is that of a person. */
const toAsker = (personId: AccountId) => ({ accountId: personId, personId });

export function createPasswordQueue({
  runningMax = runningMaxDefault,
  waitingMax = waitingMaxDefault,
}: PasswordQueueOptions = {}): PasswordQueue {
  const owners = createFairLine({ waitingMax, waitingMaxOfOne, message, retrySeconds });
  const strangers = createFairLine({ waitingMax, waitingMaxOfOne: waitingMax, message, retrySeconds });
  let running = 0;

  return {
    async run(from, work, ip) {
      const [line, asker] = from === "stranger" ? [strangers, anybody] : [owners, toAsker(from)];
      const about = from === "stranger" ? { networks: toNestedNetworks(ip) } : {};
      if (running < runningMax) {
        running += 1;
        line.countTurn(asker, about);
      } else await line.wait(asker, about);
      try {
        return await work();
      } finally {
        passTurn();
      }
    },
  };

  function passTurn(): void {
    // The next in line takes over this turn.
    if (!owners.passTurn() && !strangers.passTurn()) running -= 1;
  }
}
