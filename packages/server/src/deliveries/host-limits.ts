/** How many requests are in flight, and how many more a host may get: a slow or dead receiver must not delay any other. */
export interface HostLimits {
  /** Counts a request to `host`. */
  enter(host: string): void;
  /** A request to `host` ended: quickly, slowly (it timed out, or took long), or nobody knows. */
  leave(host: string, pace: Pace | undefined): void;
  /** Resolves once `host` has room and the request is counted; rejects when `signal` aborts first. */
  enterWhenFree(host: string, signal: AbortSignal): Promise<void>;
  /** A view on the limits that counts what is being claimed before it is. */
  plan(): HostLimitPlan;
  /** Hosts that are known to have no room now. */
  fullHosts(): string[];
  /** Takes over what the limits of another thread know. */
  adopt(state: HostLimitState): void;
}

/** State from which limits in another thread plan the same. */
export interface HostLimitState {
  /** How many requests each host has. */
  readonly inFlight: readonly (readonly [string, number])[];
  /** Those that changed since it was last read; null for one that was forgotten. */
  readonly paces: readonly (readonly [string, Pace | null])[];
}

export type Pace = "quick" | "slow";

export interface HostLimitPlan {
  /** More than this no host ever gets. */
  readonly roomMax: number;
  /** How many more requests `host` may get now. */
  room(host: string): number;
  taken(host: string, count: number): void;
  /** The state without what was planned: all of it, or what is new since it was last read. */
  read(isAll: boolean): HostLimitState;
}

export const slotsMax = 64;
export const retrySlotsMax = 48;
const perHostMax = 4;
/** Together, hosts whose last answer was slow. */
const slowSlotsMax = 16;
/** Together, hosts that have not answered since this process started. */
const unprovenSlotsMax = 48;
/** From this many requests in flight on, a host gets at most two at once; from the second on, one. */
const scarceAt = [32, 48] as const;
/** The number of remembered hosts, in memory only. */
const hostsMax = 10_000;

/**
 * A host starts with one request at once and gets up to four after its first quick answer; with one after a slow answer,
 * until the next quick one. Were it four from the start, sixteen receivers that hang would hold all the slots for 30 s.
 */
export function createHostLimits(): HostLimits {
  const inFlight = new Map<string, number>();
  const paces = new Map<string, Pace>();
  const slowHosts = new Set<string>();
  /** Since the state was last read; nobody collects them where nobody reads. */
  let changed: Set<string> | undefined;
  const waiting = new Map<string, Set<() => void>>();
  const nothingPlanned: ReadonlyMap<string, number> = new Map();

  function room(host: string, planned: ReadonlyMap<string, number>): number {
    const mine = (inFlight.get(host) ?? 0) + (planned.get(host) ?? 0);
    const pace = paces.get(host);
    const count = (isCounted: (other: string) => boolean) => sum(inFlight, isCounted) + sum(planned, isCounted);
    if (pace === "quick") {
      const all = count(() => true);
      const cap = all < scarceAt[0] ? perHostMax : all < scarceAt[1] ? perHostMax / 2 : 1;
      return Math.max(0, cap - mine);
    }
    if (mine > 0) return 0;
    const isFree =
      pace === "slow"
        ? count((other) => slowHosts.has(other)) < slowSlotsMax
        : count((other) => !paces.has(other)) < unprovenSlotsMax;
    return isFree ? 1 : 0;
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
      inFlight: [...inFlight],
      paces: Array.from(hosts, (host) => [host, paces.get(host) ?? null] as const),
    };
    changed = new Set();
    return state;
  }

  const enter = (host: string) => void inFlight.set(host, (inFlight.get(host) ?? 0) + 1);

  return {
    enter,
    leave(host, pace) {
      const left = (inFlight.get(host) ?? 1) - 1;
      if (left > 0) inFlight.set(host, left);
      else inFlight.delete(host);
      if (pace !== undefined) remember(host, pace);
      // Not only this host's: what it leaves may have been a share of all slow ones.
      for (const [other, waiters] of waiting) {
        const [first] = waiters;
        if (first !== undefined && room(other, nothingPlanned) > 0) first();
      }
    },
    async enterWhenFree(host, signal) {
      signal.throwIfAborted();
      if (room(host, nothingPlanned) > 0) return enter(host);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiters = waiting.get(host) ?? new Set();
      waiting.set(host, waiters);
      const free = () => {
        waiters.delete(free);
        enter(host);
        resolve();
      };
      const abort = () => {
        waiters.delete(free);
        reject(signal.reason);
      };
      waiters.add(free);
      signal.addEventListener("abort", abort, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener("abort", abort);
        if (waiters.size === 0 && waiting.get(host) === waiters) waiting.delete(host);
      }
    },
    plan() {
      const planned = new Map<string, number>();
      return {
        roomMax: perHostMax,
        room: (host) => room(host, planned),
        taken: (host, count) => void planned.set(host, (planned.get(host) ?? 0) + count),
        read,
      };
    },
    adopt(state) {
      inFlight.clear();
      for (const [host, count] of state.inFlight) inFlight.set(host, count);
      for (const [host, pace] of state.paces) {
        if (pace === null) forget(host);
        else remember(host, pace);
      }
    },
    fullHosts: () => {
      const slow = sum(inFlight, (host) => slowHosts.has(host)) < slowSlotsMax ? [] : slowHosts;
      const busy = [...inFlight.keys()].filter((host) => room(host, nothingPlanned) === 0);
      return [...new Set([...busy, ...slow])];
    },
  };
}

function sum(counts: ReadonlyMap<string, number>, isCounted: (host: string) => boolean): number {
  let total = 0;
  for (const [host, count] of counts) if (isCounted(host)) total += count;
  return total;
}
