import type { Sentence } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";

/**
 * Slow work that strangers or accounts can ask for: only some runs at once, some waits, and the rest is refused until later.
 * An account that asks for much waits for itself: of those who wait, each account gets a turn before any gets a second, and
 * within an account each part (a form, say). The same holds for places: when all are taken, the account with most of them gives one up
 * to who holds fewer, or a flood from one account would keep everybody else out.
 */
export interface FairQueue {
  /** Does `work` when its turn comes. Throws `unavailable` when no place is left, for this one or for all. */
  run<Result>(account: string, work: () => Promise<Result>, part?: string): Promise<Result>;
}

export interface FairQueueOptions {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** The most that one part of an account can have waiting. */
  readonly waitingMaxOfOne: number;
  /** The message for those for whom no place is left. */
  readonly message: Sentence;
  readonly retrySeconds: number;
}

interface Waiting {
  readonly take: () => void;
  readonly putOff: (problem: Problem) => void;
}

/** By the part that they are of, in the order of their next turns; none is empty. */
type Lines = Map<string, Waiting[]>;

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { runningMax, waitingMax, waitingMaxOfOne, message, retrySeconds } = options;
  /** In the order of their next turns; nobody is in it without a line. */
  const accounts = new Map<string, Lines>();
  let waiting = 0;
  let running = 0;

  return {
    async run(account, work, part = "") {
      if (running < runningMax) running += 1;
      else await waitForTurn(account, part);
      try {
        return await work();
      } finally {
        passTurn();
      }
    },
  };

  function waitForTurn(account: string, part: string): Promise<void> {
    const length = accounts.get(account)?.get(part)?.length ?? 0;
    if (length >= waitingMaxOfOne || (waiting >= waitingMax && !makeRoom(account, length))) throw noPlace();
    waiting += 1;
    // Only now: making room may have ended a line.
    const lines: Lines = accounts.get(account) ?? new Map();
    const line = lines.get(part) ?? [];
    accounts.set(account, lines);
    lines.set(part, line);
    return new Promise((take, putOff) => line.push({ take, putOff }));
  }

  /** Puts off the last of the longest line, if its account keeps no fewer places than the one that asks. */
  function makeRoom(account: string, length: number): boolean {
    const own = accounts.get(account) ?? new Map();
    const [fullest, most] = longestOf(accounts, countWaiting);
    const [isOthers, from] = most > countWaiting(own) + 1 ? [true, fullest] : [false, account];
    const lines = accounts.get(from) ?? new Map();
    const [part, longest] = longestOf(lines, (line: readonly Waiting[]) => line.length);
    if (!isOthers && longest <= length + 1) return false;
    const line = lines.get(part) ?? [];
    line.pop()?.putOff(noPlace());
    waiting -= 1;
    if (line.length === 0) lines.delete(part);
    return true;
  }

  function passTurn(): void {
    const [next] = accounts;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [account, lines] = next;
    const [[part, line] = ["", []]] = lines;
    const first = line.shift();
    waiting -= 1;
    // At the end, after everybody else who waits.
    lines.delete(part);
    if (line.length > 0) lines.set(part, line);
    accounts.delete(account);
    if (lines.size > 0) accounts.set(account, lines);
    first?.take();
  }

  function noPlace(): Problem {
    return new Problem("unavailable", message, { retryAfter: retrySeconds });
  }
}

function countWaiting(lines: Lines): number {
  let count = 0;
  for (const line of lines.values()) count += line.length;
  return count;
}

function longestOf<Value>(map: ReadonlyMap<string, Value>, lengthOf: (value: Value) => number): [string, number] {
  let longest: [string, number] = ["", 0];
  for (const [name, value] of map) if (lengthOf(value) > longest[1]) longest = [name, lengthOf(value)];
  return longest;
}
