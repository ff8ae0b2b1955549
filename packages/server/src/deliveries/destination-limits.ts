import {
  add,
  addAll,
  type Counts,
  createCounts,
  listFullSlow,
  mostBy,
  type Pace,
  roomBy,
  slotsMax,
} from "./destination-room.ts";

/** How many requests are in flight, and how many more a destination may get: a slow or dead receiver must not delay any other. */
export interface DestinationLimits {
  /** Counts a request to `destination`, whether there is room or not. */
  enter(destination: string, isRetry?: boolean): void;
  /** A request to `destination` ended: quickly, slowly (it timed out, or took long), or nobody knows. */
  leave(destination: string, pace: Pace | undefined, isRetry?: boolean): void;
  /** Counts a request and calls `begin` once `destination` has room: at once, or after those that already wait for it. Returns a function that ends the wait. */
  whenFree(destination: string, isRetry: boolean, begin: () => void): () => void;
  /** Resolves once `destination` has room and the request is counted; rejects when `signal` aborts first. */
  enterWhenFree(destination: string, signal: AbortSignal): Promise<void>;
  /** How many more requests to `destination` may begin now. */
  room(destination: string): number;
  /** Whether its last answer was quick. */
  isQuick(destination: string): boolean;
  /** A view on the limits that counts what is being claimed before it is; `isAhead`: more may be claimed than may be sent. */
  plan(isAhead?: boolean): DestinationLimitPlan;
  /** Destinations of which nothing may be claimed now. */
  fullDestinations(isAhead?: boolean): string[];
  /** Takes over what the limits of another thread know. */
  adopt(state: DestinationLimitState): void;
}

/** State from which limits in another thread plan the same. */
export interface DestinationLimitState {
  /** How much is claimed for each destination, or where nothing may be claimed ahead, in flight. */
  readonly claimed: readonly (readonly [string, number])[];
  readonly isAhead: boolean;
  /** The paces that changed since the last read; null for a forgotten one. */
  readonly paces: readonly (readonly [string, Pace | null])[];
}

export interface DestinationLimitPlan {
  /** More than this no destination ever gets. */
  readonly roomMax: number;
  /** How much more may be claimed for `destination` now: what may be sent, and for a quick destination three times as much again, which follows it. */
  room(destination: string): number;
  taken(destination: string, count: number): void;
  /** The state without what was planned: all of it, or what is new since it was last read. */
  read(isAll: boolean): DestinationLimitState;
}

const retrySlotsMax = 48;
/**
 * How many times as much may be claimed as may be sent: a quick destination's next deliveries are there before a transaction ends, and the more
 * are under way, the more share one.
 */
const claimedFactor = 4;
const claimedMax = slotsMax * claimedFactor;
export const claimedRetriesMax = retrySlotsMax * claimedFactor;
/** One claim takes no more than a transaction stores. */
const claimedAtOnceMax = 96;
/** While so many bytes of bodies are under way, nothing is claimed ahead: each may have 1.4 MB. */
const claimedBytesMax = 32 * 1024 * 1024;
/** The number of remembered destinations, in memory only. */
const destinationsMax = 10_000;

/**
 * How many deliveries may be claimed while so many are, with so many bytes, of which some wait for their destination. Those don't
 * count where nothing is claimed ahead: one organization's large bodies that wait would keep everybody else's from being sent.
 */
export function countSlots(
  claimed: number,
  waiting: number,
  bytes: number,
): { readonly slots: number; readonly isAhead: boolean } {
  const isAhead = bytes < claimedBytesMax;
  const left = isAhead ? claimedMax - claimed : slotsMax - (claimed - waiting);
  return { slots: Math.max(0, Math.min(left, claimedAtOnceMax)), isAhead };
}

interface Waiter {
  readonly isRetry: boolean;
  readonly begin: () => void;
}

export function createDestinationLimits(): DestinationLimits {
  const inFlight = createCounts();
  let retries = 0;
  const paces = new Map<string, Pace>();
  const slow = new Set<string>();
  /** Since the state was last read; nobody collects them where nobody reads. */
  let changed: Set<string> | undefined;
  const waiting = new Map<string, Set<Waiter>>();
  /** The claims of another thread, in place of the ones that are counted here. */
  let adopted: DestinationLimitState["claimed"] | undefined;

  const room = (destination: string) => roomBy(inFlight, paces, destination, 1);

  /** Everything in flight, and where more may be claimed than may be sent, all that waits. */
  function countClaimed(isAhead: boolean): Counts {
    if (adopted !== undefined) return addAll(createCounts(), adopted);
    if (!isAhead) return addAll(createCounts(), inFlight.destinations);
    const waiters = Array.from(waiting, ([destination, { size }]) => [destination, size] as const);
    return addAll(addAll(createCounts(), inFlight.destinations), waiters);
  }

  function enter(destination: string, isRetry = false): void {
    add(inFlight, destination, 1);
    if (isRetry) retries += 1;
  }

  function whenFree(destination: string, isRetry: boolean, begin: () => void): () => void {
    const waiters = waiting.get(destination) ?? new Set();
    const waiter = { isRetry, begin };
    waiters.add(waiter);
    waiting.set(destination, waiters);
    beginWaiting(destination, waiters);
    return () => {
      waiters.delete(waiter);
      if (waiters.size === 0 && waiting.get(destination) === waiters) waiting.delete(destination);
    };
  }

  /**
   * Begins what has room of those who wait for a destination, in their order, but no retry while others hold what retries may have.
   * A destination that got something waits after the others: places that several want go to them in turn.
   */
  function beginWaiting(destination: string, waiters: Set<Waiter>): void {
    let hasBegun = false;
    for (const waiter of waiters) {
      if (room(destination) === 0) break;
      if (waiter.isRetry && retries >= retrySlotsMax) continue;
      waiters.delete(waiter);
      hasBegun = true;
      enter(destination, waiter.isRetry);
      waiter.begin();
    }
    if ((!hasBegun && waiters.size > 0) || waiting.get(destination) !== waiters) return;
    waiting.delete(destination);
    if (waiters.size > 0) waiting.set(destination, waiters);
  }

  function remember(destination: string, pace: Pace): void {
    if (paces.get(destination) !== pace) changed?.add(destination);
    paces.delete(destination); // so that the most recent ones stand last
    paces.set(destination, pace);
    if (pace === "slow") slow.add(destination);
    else slow.delete(destination);
    const [oldest] = paces.keys();
    if (paces.size <= destinationsMax || oldest === undefined) return;
    forget(oldest);
    changed?.add(oldest);
  }

  function forget(destination: string): void {
    paces.delete(destination);
    slow.delete(destination);
  }

  function read(isAll: boolean, isAhead: boolean): DestinationLimitState {
    const destinations = changed === undefined || isAll ? paces.keys() : changed;
    const state = {
      claimed: [...countClaimed(isAhead).destinations],
      isAhead,
      paces: Array.from(destinations, (destination) => [destination, paces.get(destination) ?? null] as const),
    };
    changed = new Set();
    return state;
  }

  return {
    enter,
    whenFree,
    room,
    leave(destination, pace, isRetry = false) {
      add(inFlight, destination, -1);
      if (isRetry) retries -= 1;
      if (pace !== undefined) remember(destination, pace);
      // Not only this destination's: what it leaves may have been a share of all slow ones.
      for (const [other, waiters] of [...waiting]) beginWaiting(other, waiters);
    },
    async enterWhenFree(destination, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = whenFree(destination, false, resolve);
      const abort = () => {
        cancel();
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
    isQuick: (destination) => paces.get(destination) === "quick",
    plan(isAhead = true) {
      const counts = countClaimed(isAhead);
      const factor = isAhead ? claimedFactor : 1;
      return {
        roomMax: mostBy(factor),
        room: (destination) => roomBy(counts, paces, destination, factor),
        taken: (destination, count) => add(counts, destination, count),
        read: (isAll) => read(isAll, isAhead),
      };
    },
    adopt(state) {
      adopted = state.claimed;
      for (const [destination, pace] of state.paces) {
        if (pace === null) forget(destination);
        else remember(destination, pace);
      }
    },
    fullDestinations: (isAhead = true) => {
      const counts = countClaimed(isAhead);
      const factor = isAhead ? claimedFactor : 1;
      const busy = [...counts.destinations.keys()].filter((each) => roomBy(counts, paces, each, factor) === 0);
      return [...new Set([...busy, ...listFullSlow(counts, slow)])];
    },
  };
}
