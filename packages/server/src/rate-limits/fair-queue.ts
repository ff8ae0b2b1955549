import { type Asker, createFairLine, type FairLineOptions, type Work } from "./fair-line.ts";

/**
 * Slow work that strangers or accounts can ask for: only some runs at once, some waits, and the rest is refused until later.
 * An account that asks for much waits for itself, and gives up places to accounts that asked for less, as does each person of it to the
 * others (`FairLine`), or a flood from one account would keep everybody else out, and one from a member the owner.
 */
export interface FairQueue {
  /** Does `work` when its turn comes. Throws `unavailable` when no place is left, for this one or for all, or when nobody waits any more. */
  run<Result>(asker: Asker, work: () => Promise<Result>, about?: string | Work): Promise<Result>;
}

export interface FairQueueOptions extends FairLineOptions {
  readonly runningMax: number;
}

export function createFairQueue({ runningMax, ...options }: FairQueueOptions): FairQueue {
  const line = createFairLine(options);
  const { now = () => performance.now() } = options;
  let running = 0;

  return {
    async run(asker, work, about) {
      const asked = typeof about === "string" ? { part: about } : about;
      if (running < runningMax) {
        running += 1;
        line.countTurn(asker, asked);
      } else await line.wait(asker, asked);
      const begunAt = now();
      try {
        return await work();
      } finally {
        line.charge(asker, asked, now() - begunAt);
        // The next in line takes over this turn.
        if (!line.passTurn()) running -= 1;
      }
    },
  };
}
