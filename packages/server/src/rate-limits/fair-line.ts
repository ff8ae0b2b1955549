import { Problem } from "../problems/problem.ts";
import type { WaitingSentence } from "../problems/waiting-codes.ts";

/** The account whose turn it is, and the person: the maker of an API key; `undefined` for a visitor, whom nobody knows. */
export interface Asker {
  readonly accountId: string;
  readonly personId: string | undefined;
}

/** The work that a turn is asked for, and the visitor's networks where nobody knows who asks. */
export interface Work {
  /** A form, say. */
  readonly part?: string | undefined;
  /** The networks that a visitor's address is in, the widest first; none where a person asks. */
  readonly networks?: readonly string[] | undefined;
  /** How much there is to do, in whatever unit; for all in one line, or for none. */
  readonly size?: number | undefined;
  /** Aborted when nobody waits for the result any more. */
  readonly gone?: AbortSignal | undefined;
}

/**
 * A line for turns in which accounts share alike, however many requests one of them makes. The next turn, and a place where all
 * are taken, go to the account that had the least, by the time that its turns took (`charge`), of which half is forgotten after five minutes; within an
 * account to the person who had the least, so that no member keeps the others out; and of one person each part (a form, say) gets a turn before any
 * gets a second. Anyone with many accounts therefore gets one turn before everybody else for each of them, not a turn for each request.
 *
 * Nobody starves: while some have waited for longer than five seconds, every second turn is theirs, and for a minute that of their part; in it accounts
 * take turns, and people, parts and networks in them, whatever they had.
 *
 * Nobody knows who a visitor is. Of one form, wide networks share alike, then the narrower ones in them; no network keeps many forms or accounts
 * busy; and where none has more than another, what is shorter comes before what is longer. Who has left has no place any more.
 */
export interface FairLine {
  /** Resolves when the turn comes. Rejects with `unavailable` when there is no place, when somebody else needs it more, or when nobody waits any more. */
  wait(asker: Asker, work?: Work): Promise<void>;
  /** Gives the turn to the next in line. False when nobody waits. */
  passTurn(): boolean;
  /** Counts a turn that was taken without waiting. */
  countTurn(asker: Asker, work?: Work): void;
  /** Counts how long a turn took: each `unitMilliseconds` beyond the first as one more turn. */
  charge(asker: Asker, work: Work | undefined, milliseconds: number): void;
}

export interface FairLineOptions {
  readonly waitingMax: number;
  /** The most that one part of a person, or of a visitor's address, can have waiting. */
  readonly waitingMaxOfOne: number;
  /** The message for those for whom no place is left. */
  readonly message: WaitingSentence;
  readonly retrySeconds: number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** From the account to the part, or to the address of a visitor. */
type Path = readonly [account: string, person: string, part: string, ...networks: string[]];

interface Waiting {
  readonly path: Path;
  readonly since: number;
  readonly size: number;
  readonly take: () => void;
  readonly putOff: () => void;
}

/** All that wait of an account, a person, a part or a network; none is empty but the root. */
interface Group {
  /** In the order of their latest turns. */
  readonly groups: Map<string, Group>;
  /** Those that are of no smaller group. */
  readonly line: Waiting[];
  count: number;
}

/** The time of a turn in which little is asked for. */
export const unitMilliseconds = 20;
/** Who has waited for longer has every second turn. */
export const patienceMilliseconds = 5_000;
/** How long it stays so for the part: what takes many turns doesn't wait as long for each. */
const lateMilliseconds = 60_000;

/** Depth of the parts in the tree of groups: above are accounts and people, below are networks. */
const partDepth = 2;

export function createFairLine(options: FairLineOptions): FairLine {
  const { waitingMax, waitingMaxOfOne, message, retrySeconds, now = () => performance.now() } = options;
  const root = createGroup();
  const all = new Set<Waiting>();
  /** Turns of the groups at each depth. */
  const turns: ReturnType<typeof createRecentTurns>[] = [];
  /** Turns of the widest networks, wherever they asked. */
  const ofNetworks = createRecentTurns(now, rememberedPartsMax);
  /** When parts had a turn for which they had waited too long. */
  const late = new Map<string, number>();
  let wasOfPatient = false;

  return {
    async wait(asker, work = {}) {
      const { size = 0, gone } = work;
      const path = pathOf(asker, work);
      if (gone?.aborted || (findGroup(path)?.count ?? 0) >= waitingMaxOfOne) throw noPlace();
      if (all.size >= waitingMax && !makeRoom(path, size)) throw noPlace();
      const { promise, resolve: take, reject } = Promise.withResolvers<void>();
      const waiting: Waiting = {
        path,
        since: isLate(path) ? -Infinity : now(),
        size,
        take,
        putOff: () => reject(noPlace()),
      };
      add(waiting);
      const leave = () => putOff(waiting);
      gone?.addEventListener("abort", leave, { once: true });
      try {
        await promise;
      } finally {
        gone?.removeEventListener("abort", leave);
      }
    },
    passTurn() {
      const patient = wasOfPatient ? undefined : findPatient(root, now() - patienceMilliseconds);
      wasOfPatient = patient !== undefined;
      if (patient !== undefined && patient.since !== -Infinity) noteLate(patient.path);
      const next = patient ?? findNext(root);
      if (next === undefined) return false;
      remove(next);
      // At the end, after everybody else who waits.
      let group: Group | undefined = root;
      for (const name of next.path) {
        const inner: Group | undefined = group?.groups.get(name);
        if (inner !== undefined) {
          group?.groups.delete(name);
          group?.groups.set(name, inner);
        }
        group = inner;
      }
      countPath(next.path);
      next.take();
      return true;
    },
    countTurn: (asker, work = {}) => countPath(pathOf(asker, work)),
    charge(asker, work, milliseconds) {
      const units = Math.ceil(milliseconds / unitMilliseconds) - 1;
      if (units > 0) countPath(pathOf(asker, work ?? {}), units);
    },
  };

  function noteLate(path: Path): void {
    const key = keyOf(path, partDepth);
    late.delete(key);
    late.set(key, now());
    const [oldest] = late.keys();
    if (late.size > rememberedPartsMax && oldest !== undefined) late.delete(oldest);
  }

  function isLate(path: Path): boolean {
    return now() - (late.get(keyOf(path, partDepth)) ?? -Infinity) < lateMilliseconds;
  }

  function turnsAt(depth: number): ReturnType<typeof createRecentTurns> {
    turns[depth] ??= createRecentTurns(now, depth < partDepth ? rememberedMax : rememberedPartsMax);
    return turns[depth];
  }

  function countPath(path: Path, units = 1): void {
    for (const depth of path.keys()) turnsAt(depth).count(keyOf(path, depth), units);
    const network = networkOf({ path });
    if (network !== undefined) ofNetworks.count(network, units);
  }

  function findGroup(path: readonly string[]): Group | undefined {
    let group: Group | undefined = root;
    for (const name of path) group = group?.groups.get(name);
    return group;
  }

  function add(waiting: Waiting): void {
    all.add(waiting);
    let group = root;
    root.count += 1;
    for (const name of waiting.path) {
      const inner = group.groups.get(name) ?? createGroup();
      group.groups.set(name, inner);
      inner.count += 1;
      group = inner;
    }
    group.line.push(waiting);
  }

  function remove(waiting: Waiting): boolean {
    if (!all.delete(waiting)) return false;
    let group: Group | undefined = root;
    root.count -= 1;
    for (const name of waiting.path) {
      const inner: Group | undefined = group?.groups.get(name);
      if (inner !== undefined) inner.count -= 1;
      if (inner?.count === 0) group?.groups.delete(name);
      group = inner;
    }
    group?.line.splice(group.line.indexOf(waiting), 1);
    return true;
  }

  function putOff(waiting: Waiting | undefined): boolean {
    if (waiting === undefined || !remove(waiting)) return false;
    waiting.putOff();
    return true;
  }

  /** The first to come of the group whose latest turn is longest ago, among those in which somebody has waited since before `since`. */
  function findPatient(group: Group, since: number): Waiting | undefined {
    for (const inner of group.groups.values()) {
      const found = findPatient(inner, since);
      if (found !== undefined) return found;
    }
    return group.line.find((one) => one.since < since);
  }

  /**
   * The next of the group that had the fewest turns, where those of a visitor's network count as well, at whichever forms it had them; of equal groups, of
   * the one with the least to do, else of the first.
   */
  function findNext(group: Group, above: readonly string[] = []): Waiting | undefined {
    let [next, fewest, least]: [Waiting | undefined, number, number] = [undefined, Infinity, Infinity];
    for (const [name, inner] of group.groups) {
      const had = turnsAt(above.length).of(keyOf([...above, name], above.length));
      if (had > fewest) continue;
      const found = findNext(inner, [...above, name]);
      if (found === undefined) continue;
      const hadInAll = had + ofNetworks.of(networkOf(found) ?? "");
      if (hadInAll > fewest || (hadInAll === fewest && found.size >= least)) continue;
      [next, fewest, least] = [found, hadInAll, found.size];
    }
    return next ?? leastOf(group.line);
  }

  /**
   * Puts off the last of the longest line of the account that has had most, and within it of the person who has, if that has more than the
   * one that asks; of the asker's own lines the longest one, if it is longer. Of visitors it is the network that has most of the form, then of the
   * whole line; then the longest work, of the form, the account or the line, if it is longer than what is asked for.
   */
  function makeRoom(path: Path, size: number): boolean {
    let group: Group | undefined = root;
    for (const [depth, name] of path.entries()) {
      const above = path.slice(0, depth);
      const heaviest = findHeaviest(group, above, path);
      if (heaviest === undefined) break;
      if (heaviest.name !== name && heaviest.load > loadOf(group, above, name, path) + 1)
        return putOff(findLast(heaviest.group, [...above, heaviest.name], path));
      group = group.groups.get(name);
      if (group === undefined) break;
    }
    return putOff(findOfNetwork(path) ?? findLonger(path, size));
  }

  /** How much a group has of the line. Turns that visitors had don't count: a form that many send to would have no place. */
  function loadOf(group: Group, above: readonly string[], name: string, asking: Path): number {
    const depth = above.length;
    const hasTurns = depth < partDepth && !isOfVisitor(asking);
    const had = hasTurns ? turnsAt(depth).of(keyOf([...above, name], depth)) : 0;
    return had + (group.groups.get(name)?.count ?? 0);
  }

  /** The group with the highest load; the last of equal ones. */
  function findHeaviest(group: Group, above: readonly string[], asking: Path) {
    let heaviest: { readonly name: string; readonly group: Group; readonly load: number } | undefined;
    for (const [name, inner] of group.groups) {
      const load = loadOf(group, above, name, asking);
      if (load >= (heaviest?.load ?? 0)) heaviest = { name, group: inner, load };
    }
    return heaviest;
  }

  function findLast(group: Group, above: readonly string[], asking: Path): Waiting | undefined {
    const heaviest = findHeaviest(group, above, asking);
    if (heaviest !== undefined) return findLast(heaviest.group, [...above, heaviest.name], asking);
    return longestOf(group.line);
  }

  /** The longest work of the widest network that has most, at whichever forms and accounts, if it has more than the one that asks. */
  function findOfNetwork(path: Path): Waiting | undefined {
    if (!isOfVisitor(path)) return undefined;
    const counts = Map.groupBy(all, networkOf);
    const own = counts.get(networkOf({ path }))?.length ?? 0;
    let most: readonly Waiting[] = [];
    for (const [network, some] of counts) if (network !== undefined && some.length > most.length) most = some;
    return most.length > own + 1 ? longestOf(most) : undefined;
  }

  function findLonger(path: Path, size: number): Waiting | undefined {
    const [account, , part] = path;
    const ofAccount = [...all].filter((one) => one.path[0] === account);
    for (const some of [ofAccount.filter((one) => one.path[2] === part), ofAccount, [...all]]) {
      const longest = longestOf(some);
      if (longest !== undefined && longest.size > size) return longest;
    }
    return undefined;
  }

  function noPlace(): Problem {
    return new Problem("unavailable", message, { retryAfter: retrySeconds });
  }
}

function createGroup(): Group {
  return { groups: new Map(), line: [], count: 0 };
}

function pathOf({ accountId, personId = "" }: Asker, { part = "", networks = [] }: Work): Path {
  return [accountId, personId, part, ...networks];
}

function isOfVisitor(path: Path): boolean {
  return path.length > partDepth + 1;
}

const keyOf = (path: readonly string[], depth: number) => path.slice(0, depth + 1).join(" ");

/** The widest network of a visitor. */
function networkOf({ path: [, , , network] }: Pick<Waiting, "path">): string | undefined {
  return network;
}

/** The shortest work; the first of equal ones. */
function leastOf(line: readonly Waiting[]): Waiting | undefined {
  let least: Waiting | undefined;
  for (const one of line) if (least === undefined || one.size < least.size) least = one;
  return least;
}

/** The longest work; the last of equal ones. */
function longestOf(line: readonly Waiting[]): Waiting | undefined {
  let longest: Waiting | undefined;
  for (const one of line) if (longest === undefined || one.size >= longest.size) longest = one;
  return longest;
}

const halfLifeMilliseconds = 300_000;
/** Half-lives after which a single turn is forgotten. */
const rememberedHalves = 8;
/** Accounts that had turns; beyond that the one whose latest turn is longest ago is forgotten. */
const rememberedMax = 100_000;
/** Parts of them, and networks. */
const rememberedPartsMax = 10_000;

/** How many turns each account had: a turn counts half after each half-life, and is forgotten after half an hour to an hour. */
export function createRecentTurns(now: () => number, max = rememberedMax) {
  /** In the order of the latest turns; in whole half-lives, so that what is alike stays alike. */
  const all = new Map<string, { readonly turns: number; readonly half: number }>();

  function find(account: string, half: number): number {
    const known = all.get(account);
    if (known === undefined) return 0;
    const turns = known.turns / 2 ** Math.max(half - known.half, 0);
    return turns < 2 ** -rememberedHalves ? 0 : turns;
  }

  const halfNow = () => Math.floor(now() / halfLifeMilliseconds);

  return {
    of: (account: string): number => find(account, halfNow()),
    count(account: string, turns = 1): void {
      const half = halfNow();
      const counted = find(account, half) + turns;
      all.delete(account);
      all.set(account, { turns: counted, half });
      const [oldest] = all.keys();
      if (all.size > max && oldest !== undefined) all.delete(oldest);
    },
  };
}
