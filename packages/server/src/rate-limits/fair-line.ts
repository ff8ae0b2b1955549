import { Problem } from "../problems/problem.ts";
import type { WaitingSentence } from "../problems/waiting-codes.ts";

/**
 * A line for turns in which accounts share alike, however many requests one of them makes. The next turn, and a place where all
 * are taken, go to the account that had the fewest turns within the last half hour to hour; within an account each part (a form, say) gets a
 * turn before any gets a second. Anyone with many accounts therefore gets one turn before everybody else for each of them, not
 * a turn for each request.
 */
export interface FairLine {
  /** Resolves when the turn comes. Rejects with `unavailable` when there is no place, or when another account needs it more. */
  wait(account: string, part?: string): Promise<void>;
  /** Gives the turn to the next in line. False when nobody waits. */
  passTurn(): boolean;
  /** Counts a turn that was taken without waiting. */
  countTurn(account: string): void;
}

export interface FairLineOptions {
  readonly waitingMax: number;
  /** The most that one part of an account can have waiting. */
  readonly waitingMaxOfOne: number;
  /** The message for those for whom no place is left. */
  readonly message: WaitingSentence;
  readonly retrySeconds: number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

interface Waiting {
  readonly take: () => void;
  readonly putOff: (problem: Problem) => void;
}

/** By the part that they are of, in the order of their next turns; none is empty. */
type Lines = Map<string, Waiting[]>;

export function createFairLine(options: FairLineOptions): FairLine {
  const { waitingMax, waitingMaxOfOne, message, retrySeconds, now = () => performance.now() } = options;
  /** In the order of their latest turns; nobody is in it without a line. */
  const accounts = new Map<string, Lines>();
  const turns = createRecentTurns(now);
  let waiting = 0;

  return {
    wait(account, part = "") {
      const length = accounts.get(account)?.get(part)?.length ?? 0;
      if (length >= waitingMaxOfOne || (waiting >= waitingMax && !makeRoom(account, length)))
        return Promise.reject(noPlace());
      waiting += 1;
      // Only now: making room may have ended a line.
      const lines: Lines = accounts.get(account) ?? new Map();
      const line = lines.get(part) ?? [];
      accounts.set(account, lines);
      lines.set(part, line);
      return new Promise((take, putOff) => line.push({ take, putOff }));
    },
    passTurn() {
      const account = findNext();
      if (account === undefined) return false;
      const lines: Lines = accounts.get(account) ?? new Map();
      const [[part, line] = ["", []]] = lines;
      const first = line.shift();
      waiting -= 1;
      // At the end, after everybody else who waits.
      lines.delete(part);
      if (line.length > 0) lines.set(part, line);
      accounts.delete(account);
      if (lines.size > 0) accounts.set(account, lines);
      turns.count(account);
      first?.take();
      return true;
    },
    countTurn: turns.count,
  };

  function findNext(): string | undefined {
    let [next, fewest]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const account of accounts.keys()) {
      const had = turns.of(account);
      if (had < fewest) [next, fewest] = [account, had];
    }
    return next;
  }

  /** Puts off the last of the longest line of the account that has had most, if that has more than the one that asks. */
  function makeRoom(account: string, length: number): boolean {
    const own = accounts.get(account) ?? new Map();
    const [fullest, most] = largestOf(accounts, (lines, name) => turns.of(name) + countWaiting(lines));
    const [isOthers, from] =
      most > turns.of(account) + countWaiting(own) + 1 ? [fullest !== account, fullest] : [false, account];
    const lines = accounts.get(from) ?? new Map();
    const [part, longest] = largestOf(lines, (line: readonly Waiting[]) => line.length);
    if (!isOthers && longest <= length + 1) return false;
    const line = lines.get(part) ?? [];
    line.pop()?.putOff(noPlace());
    waiting -= 1;
    if (line.length === 0) lines.delete(part);
    if (lines.size === 0) accounts.delete(from);
    return true;
  }

  function noPlace(): Problem {
    return new Problem("unavailable", message, { retryAfter: retrySeconds });
  }
}

const halfHour = 1_800_000;
/** Accounts that had a turn within half an hour; beyond that the earlier half hour is forgotten sooner. */
const rememberedMax = 100_000;

/** How many turns each account had within the current half hour and the one before. */
export function createRecentTurns(now: () => number) {
  let [current, former] = [new Map<string, number>(), new Map<string, number>()];
  let since = now();

  function advance(): void {
    const passed = now() - since;
    if (passed < halfHour && current.size < rememberedMax) return;
    [current, former] = [new Map(), passed < 2 * halfHour ? current : new Map()];
    since = now();
  }

  return {
    of(account: string): number {
      advance();
      return (current.get(account) ?? 0) + (former.get(account) ?? 0);
    },
    count(account: string): void {
      advance();
      current.set(account, (current.get(account) ?? 0) + 1);
    },
  };
}

function countWaiting(lines: Lines): number {
  let count = 0;
  for (const line of lines.values()) count += line.length;
  return count;
}

/** The name and the size of the largest; of equal ones the last. */
function largestOf<Value>(
  map: ReadonlyMap<string, Value>,
  sizeOf: (value: Value, name: string) => number,
): [string, number] {
  let largest: [string, number] = ["", 0];
  for (const [name, value] of map) {
    const size = sizeOf(value, name);
    if (size >= largest[1]) largest = [name, size];
  }
  return largest;
}
