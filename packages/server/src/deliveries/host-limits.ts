/** How many requests are in flight, and how many more a host may get: a slow or dead receiver must not delay any other. */
export interface HostLimits {
  /** Counts a request to `host`, whether there is room or not. */
  enter(host: string, isRetry?: boolean): void;
  /** A request to `host` ended: quickly, slowly (it timed out, or took long), or nobody knows. */
  leave(host: string, pace: Pace | undefined, isRetry?: boolean): void;
  /** Counts a request and calls `begin` once `host` has room: at once, or after those that already wait for it. Returns a function that ends the wait. */
  whenFree(host: string, isRetry: boolean, begin: () => void): () => void;
  /** Resolves once `host` has room and the request is counted; rejects when `signal` aborts first. */
  enterWhenFree(host: string, signal: AbortSignal): Promise<void>;
  /** How many more requests to `host` may begin now. */
  room(host: string): number;
  /** Whether its last answer was quick. */
  isQuick(host: string): boolean;
  /** A view on the limits that counts what is being claimed before it is. */
  plan(): HostLimitPlan;
  /** Hosts of which nothing may be claimed now. */
  fullHosts(): string[];
  /** Takes over what the limits of another thread know. */
  adopt(state: HostLimitState): void;
}

/** State from which limits in another thread plan the same. */
export interface HostLimitState {
  /** How much is claimed for each host. */
  readonly claimed: readonly (readonly [string, number])[];
  /** The paces that changed since the last read; null for a forgotten one. */
  readonly paces: readonly (readonly [string, Pace | null])[];
}

export type Pace = "quick" | "slow";

export interface HostLimitPlan {
  /** More than this no host ever gets. */
  readonly roomMax: number;
  /** How much more may be claimed for `host` now: what may be sent, and for a quick host three times as much again, which follows it. */
  room(host: string): number;
  taken(host: string, count: number): void;
  /** The state without what was planned: all of it, or what is new since it was last read. */
  read(isAll: boolean): HostLimitState;
}

/** Requests at once. */
export const slotsMax = 64;
const retrySlotsMax = 48;
const perHostMax = 4;
/** Together, hosts whose last answer was slow. */
const slowSlotsMax = 16;
/** Limit for slow hosts and hosts that have not answered since this process started, taken together. */
const notQuickSlotsMax = 48;
/** From this many requests in flight on, a host gets at most two at once; from the second on, one. */
const scarceAt = [32, 48] as const;
/**
 * How many times as much may be claimed as may be sent: a quick host's next deliveries are there before a transaction ends, and the more
 * are under way, the more share one.
 */
const claimedFactor = 4;
const claimedMax = slotsMax * claimedFactor;
export const claimedRetriesMax = retrySlotsMax * claimedFactor;
/** One claim takes no more than a transaction stores. */
const claimedAtOnceMax = 96;
/** While so many bytes of bodies are under way, nothing is claimed ahead: each may have 1.4 MB. */
const claimedBytesMax = 32 * 1024 * 1024;
/** The number of remembered hosts, in memory only. */
const hostsMax = 10_000;

/** How many deliveries may be claimed while so many are, with so many bytes. */
export function countSlots(claimed: number, bytes: number): number {
  const most = bytes < claimedBytesMax ? claimedMax : slotsMax;
  return Math.max(0, Math.min(most - claimed, claimedAtOnceMax));
}

/** Requests by host, and how many they are together. */
interface Counts {
  readonly hosts: Map<string, number>;
  all: number;
}

interface Waiter {
  readonly isRetry: boolean;
  readonly begin: () => void;
}

/**
 * A host starts with one request at once and gets up to four after its first quick answer; with one after a slow answer,
 * until the next quick one. Were it four from the start, sixteen receivers that hang would hold all the slots for 30 s.
 */
export function createHostLimits(): HostLimits {
  const inFlight: Counts = { hosts: new Map(), all: 0 };
  let retries = 0;
  const paces = new Map<string, Pace>();
  const slowHosts = new Set<string>();
  /** Since the state was last read; nobody collects them where nobody reads. */
  let changed: Set<string> | undefined;
  const waiting = new Map<string, Set<Waiter>>();
  /** The claims of another thread, in place of the ones that are counted here. */
  let adopted: HostLimitState["claimed"] | undefined;

  /** How many more a host may get by these counts, where limits are `factor` times as wide for quick hosts. */
  function roomBy({ hosts, all }: Counts, host: string, factor: number): number {
    const mine = hosts.get(host) ?? 0;
    const left = slotsMax * factor - all;
    const pace = paces.get(host);
    if (pace === "quick") {
      const share = all < scarceAt[0] * factor ? perHostMax : all < scarceAt[1] * factor ? perHostMax / 2 : 1;
      return Math.max(0, Math.min(share * factor - mine, left));
    }
    if (mine > 0 || left <= 0) return 0;
    if (sum(hosts, (other) => paces.get(other) !== "quick") >= notQuickSlotsMax) return 0;
    return pace !== "slow" || sum(hosts, (other) => slowHosts.has(other)) < slowSlotsMax ? 1 : 0;
  }

  const room = (host: string) => roomBy(inFlight, host, 1);

  /** Everything in flight or waiting. */
  function countClaimed(): Counts {
    if (adopted !== undefined) return addAll({ hosts: new Map(), all: 0 }, adopted);
    const waiters = Array.from(waiting, ([host, { size }]) => [host, size] as const);
    return addAll({ hosts: new Map(inFlight.hosts), all: inFlight.all }, waiters);
  }

  function enter(host: string, isRetry = false): void {
    add(inFlight, host, 1);
    if (isRetry) retries += 1;
  }

  function whenFree(host: string, isRetry: boolean, begin: () => void): () => void {
    const waiters = waiting.get(host) ?? new Set();
    const waiter = { isRetry, begin };
    waiters.add(waiter);
    waiting.set(host, waiters);
    beginWaiting(host, waiters);
    return () => {
      waiters.delete(waiter);
      if (waiters.size === 0 && waiting.get(host) === waiters) waiting.delete(host);
    };
  }

  /** Begins what has room of those who wait for a host, in their order, but no retry while others hold what retries may have. */
  function beginWaiting(host: string, waiters: Set<Waiter>): void {
    for (const waiter of waiters) {
      if (room(host) === 0) return;
      if (waiter.isRetry && retries >= retrySlotsMax) continue;
      waiters.delete(waiter);
      if (waiters.size === 0) waiting.delete(host);
      enter(host, waiter.isRetry);
      waiter.begin();
    }
  }

  function remember(host: string, pace: Pace): void {
    if (paces.get(host) !== pace) changed?.add(host);
    paces.delete(host); // so that the most recent ones stand last
    paces.set(host, pace);
    if (pace === "slow") slowHosts.add(host);
    else slowHosts.delete(host);
    const [oldest] = paces.keys();
    if (paces.size <= hostsMax || oldest === undefined) return;
    forget(oldest);
    changed?.add(oldest);
  }

  function forget(host: string): void {
    paces.delete(host);
    slowHosts.delete(host);
  }

  function read(isAll: boolean): HostLimitState {
    const hosts = changed === undefined || isAll ? paces.keys() : changed;
    const state = {
      claimed: [...countClaimed().hosts],
      paces: Array.from(hosts, (host) => [host, paces.get(host) ?? null] as const),
    };
    changed = new Set();
    return state;
  }

  return {
    enter,
    whenFree,
    room,
    leave(host, pace, isRetry = false) {
      add(inFlight, host, -1);
      if (isRetry) retries -= 1;
      if (pace !== undefined) remember(host, pace);
      // Not only this host's: what it leaves may have been a share of all slow ones.
      for (const [other, waiters] of [...waiting]) beginWaiting(other, waiters);
    },
    async enterWhenFree(host, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = whenFree(host, false, resolve);
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
    isQuick: (host) => paces.get(host) === "quick",
    plan() {
      const counts = countClaimed();
      return {
        roomMax: perHostMax * claimedFactor,
        room: (host) => roomBy(counts, host, claimedFactor),
        taken: (host, count) => add(counts, host, count),
        read,
      };
    },
    adopt(state) {
      adopted = state.claimed;
      for (const [host, pace] of state.paces) {
        if (pace === null) forget(host);
        else remember(host, pace);
      }
    },
    fullHosts: () => {
      const counts = countClaimed();
      const slow = sum(counts.hosts, (host) => slowHosts.has(host)) < slowSlotsMax ? [] : slowHosts;
      const busy = [...counts.hosts.keys()].filter((host) => roomBy(counts, host, claimedFactor) === 0);
      return [...new Set([...busy, ...slow])];
    },
  };
}

function add(counts: Counts, host: string, count: number): void {
  const now = (counts.hosts.get(host) ?? 0) + count;
  if (now > 0) counts.hosts.set(host, now);
  else counts.hosts.delete(host);
  counts.all += count;
}

function addAll(counts: Counts, more: HostLimitState["claimed"]): Counts {
  for (const [host, count] of more) add(counts, host, count);
  return counts;
}

function sum(counts: ReadonlyMap<string, number>, isCounted: (host: string) => boolean): number {
  let total = 0;
  for (const [host, count] of counts) if (isCounted(host)) total += count;
  return total;
}
