import { Problem } from "./problem.ts";

/**
 * Slow work that strangers or accounts can ask for: only some runs at once, some waits, and the rest is told to come again.
 * Whoever asks for much waits behind themselves: of those who wait, each gets a turn before anybody gets a second.
 */
export interface FairQueue {
  /** Does `work` when its turn comes. Throws `unavailable` when no place is left, for this one or for all. */
  run<Result>(whose: string, work: () => Promise<Result>): Promise<Result>;
}

export interface FairQueueOptions {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** The most that one of those who ask can have waiting. */
  readonly waitingMaxOfOne: number;
  /** What is told to those for whom no place is left. */
  readonly message: string;
  readonly retrySeconds: number;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { runningMax, waitingMax, waitingMaxOfOne, message, retrySeconds } = options;
  /** In the order of their next turns; nobody is in it with an empty line. */
  const lines = new Map<string, (() => void)[]>();
  let waiting = 0;
  let running = 0;

  return {
    async run(whose, work) {
      if (running < runningMax) running += 1;
      else await waitForTurn(whose);
      try {
        return await work();
      } finally {
        passTurn();
      }
    },
  };

  function waitForTurn(whose: string): Promise<void> {
    const line = lines.get(whose) ?? [];
    if (waiting >= waitingMax || line.length >= waitingMaxOfOne)
      throw new Problem("unavailable", message, { retryAfter: retrySeconds });
    waiting += 1;
    lines.set(whose, line);
    return new Promise((resolve) => line.push(resolve));
  }

  function passTurn(): void {
    const [next] = lines;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [whose, line] = next;
    const take = line.shift();
    waiting -= 1;
    lines.delete(whose);
    // At the end, behind everybody else who waits.
    if (line.length > 0) lines.set(whose, line);
    take?.();
  }
}
