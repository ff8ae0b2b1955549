import { Problem } from "../problems/problem.ts";
import type { WaitingSentence } from "../problems/waiting-codes.ts";

/** The account whose turn it is, and the person: the maker of an API key; `undefined` for a visitor, whom nobody knows. */
export interface Asker {
  readonly accountId: string;
  readonly personId: string | undefined;
}

/**
 * A line for turns in which accounts share alike, however many requests one of them makes. The next turn, and a place where all
 * are taken, go to the account that had the fewest turns within the last half hour to hour; within an account to the person who had the
 * fewest, so that no member keeps the others out; and of one person each part (a form, say) gets a turn before any gets a second.
 * Anyone with many accounts therefore gets one turn before everybody else for each of them, not a turn for each request.
 */
export interface FairLine {
  /** Resolves when the turn comes. Rejects with `unavailable` when there is no place, or when somebody else needs it more. */
  wait(asker: Asker, part?: string): Promise<void>;
  /** Gives the turn to the next in line. False when nobody waits. */
  passTurn(): boolean;
  /** Counts a turn that was taken without waiting. */
  countTurn(asker: Asker): void;
}

export interface FairLineOptions {
  readonly waitingMax: number;
  /** The most that one part of a person can have waiting. */
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
/** By the person; none is empty either. */
type People = Map<string, Lines>;

export function createFairLine(options: FairLineOptions): FairLine {
  const { waitingMax, waitingMaxOfOne, message, retrySeconds, now = () => performance.now() } = options;
  /** In the order of their latest turns; nobody is in it without a line. */
  const accounts = new Map<string, People>();
  const [turns, ownTurns] = [createRecentTurns(now), createRecentTurns(now)];
  let waiting = 0;

  return {
    wait({ accountId, personId = "" }, part = "") {
      const length = accounts.get(accountId)?.get(personId)?.get(part)?.length ?? 0;
      if (length >= waitingMaxOfOne || (waiting >= waitingMax && !makeRoom(accountId, personId, length)))
        return Promise.reject(noPlace());
      waiting += 1;
      // Only now: making room may have ended a line.
      const people: People = accounts.get(accountId) ?? new Map();
      const lines: Lines = people.get(personId) ?? new Map();
      const line = lines.get(part) ?? [];
      accounts.set(accountId, people);
      people.set(personId, lines);
      lines.set(part, line);
      return new Promise((take, putOff) => line.push({ take, putOff }));
    },
    passTurn() {
      const accountId = fewestOf(accounts, turns.of);
      if (accountId === undefined) return false;
      const people: People = accounts.get(accountId) ?? new Map();
      const personId = fewestOf(people, (person) => ownTurns.of(keyOf(accountId, person))) ?? "";
      const lines: Lines = people.get(personId) ?? new Map();
      const [[part, line] = ["", []]] = lines;
      const first = line.shift();
      waiting -= 1;
      // At the end, after everybody else who waits.
      moveToEnd(lines, part, line, line.length);
      moveToEnd(people, personId, lines, lines.size);
      moveToEnd(accounts, accountId, people, people.size);
      countTurn({ accountId, personId });
      first?.take();
      return true;
    },
    countTurn,
  };

  function countTurn({ accountId, personId = "" }: Asker): void {
    turns.count(accountId);
    ownTurns.count(keyOf(accountId, personId));
  }

  /**
   * Puts off the last of the longest line of the account that has had most, and within it of the person who has, if that has more than the
   * one that asks; of the asker's own lines the longest one, if it is longer.
   */
  function makeRoom(accountId: string, personId: string, length: number): boolean {
    const weigh = (people: People, account: string) => turns.of(account) + countAll(people);
    const account = findHeaviest(accounts, accountId, weigh, new Map());
    const people: People = accounts.get(account) ?? new Map();
    const weighOne = (lines: Lines, person: string) => ownTurns.of(keyOf(account, person)) + countWaiting(lines);
    const person =
      account === accountId ? findHeaviest(people, personId, weighOne, new Map()) : largestOf(people, weighOne)[0];
    const lines = people.get(person) ?? new Map();
    const [part, longest] = largestOf(lines, (line: readonly Waiting[]) => line.length);
    const isOwn = account === accountId && person === personId;
    if (isOwn && longest <= length + 1) return false;
    const line = lines.get(part) ?? [];
    line.pop()?.putOff(noPlace());
    waiting -= 1;
    if (line.length === 0) lines.delete(part);
    if (lines.size === 0) people.delete(person);
    if (people.size === 0) accounts.delete(account);
    return true;
  }

  function noPlace(): Problem {
    return new Problem("unavailable", message, { retryAfter: retrySeconds });
  }
}

const keyOf = (accountId: string, personId: string) => `${accountId} ${personId}`;

function moveToEnd<Value>(map: Map<string, Value>, name: string, value: Value, size: number): void {
  map.delete(name);
  if (size > 0) map.set(name, value);
}

/** The name with the fewest; of equal ones the first. */
function fewestOf(map: ReadonlyMap<string, unknown>, countOf: (name: string) => number): string | undefined {
  let [next, fewest]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const name of map.keys()) {
    const had = countOf(name);
    if (had < fewest) [next, fewest] = [name, had];
  }
  return next;
}

/** The heaviest, if it is more than one heavier than `own`, and `own` otherwise. */
function findHeaviest<Value>(
  map: ReadonlyMap<string, Value>,
  own: string,
  weigh: (value: Value, name: string) => number,
  none: Value,
): string {
  const [heaviest, most] = largestOf(map, weigh);
  return most > weigh(map.get(own) ?? none, own) + 1 ? heaviest : own;
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

function countAll(people: People): number {
  let count = 0;
  for (const lines of people.values()) count += countWaiting(lines);
  return count;
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
