import type { FastifyRequest } from "fastify";
import { personOf } from "../access/access.ts";
import { Problem } from "../problems/problem.ts";
import { toClientNetwork, toWidestNetwork } from "./client-address.ts";

/**
 * Who begins a transaction: the organization that the request acts for, the person, and the session or API key that it came with. Of a stranger
 * it is the widest network, twice, and the address.
 */
export interface TransactionAsker {
  readonly organization: string;
  readonly person: string;
  readonly credential: string;
}

/**
 * Places for the transactions of requests: as many at once as leave connections to visitors and to the service itself. A transaction that
 * waits for a lock keeps its connection, and somebody who sends many requests that lock the same waits for themselves with each of them: without places
 * that took all connections, within everybody's rates. What waits for an organization's lock is bounded for each organization, and the last places are
 * for organizations that have none: members of three of them, many of each, would keep all others waiting. Organizations and people take turns, and of one
 * person each session and API key.
 */
export interface TransactionPlaces {
  /** Resolves when there is a place, with what gives it back. Throws `unavailable` where there is none for too long. */
  take(asker: TransactionAsker): Promise<() => void>;
}

export interface TransactionPlacesOptions {
  /** Transactions at once. */
  readonly all: number;
  /** Those of them that only an organization takes which has none. */
  readonly forNewcomers: number;
  /** More than a person's, so that no member has all of their organization's. */
  readonly ofOrganization: number;
  readonly ofPerson: number;
  /** Fewer, so that nobody who has stolen a session keeps its person from ending it by another one. */
  readonly ofCredential: number;
  /** How long one waits; without a number for as long as it takes. */
  readonly waitMilliseconds?: number;
}

/**
 * A pool has ten connections to PostgreSQL (`database/postgres.ts`); SQLite has one transaction at a time. Those who wait hold nothing, and browsers
 * wait for 30 seconds.
 */
export const placesOf = {
  postgres: { all: 6, forNewcomers: 2, ofOrganization: 4, ofPerson: 3, ofCredential: 2, waitMilliseconds: 20_000 },
  sqlite: { all: 1, forNewcomers: 1, ofOrganization: 1, ofPerson: 1, ofCredential: 1 },
} as const satisfies Record<string, TransactionPlacesOptions>;

const retrySeconds = 5;

interface Waiting {
  readonly enter: () => void;
}

/** An organization, a person or a credential, while it has a place or waits for one. */
interface Group {
  /** Places that it has. */
  inside: number;
  /** Askers in line. */
  waiting: number;
  /** When it last had a turn, or came: the number of the turn. */
  turn: number;
}

/** Those of one credential that wait, in the order in which they came. */
interface Line {
  readonly asker: TransactionAsker;
  readonly all: Set<Waiting>;
}

export function createTransactionPlaces(options: TransactionPlacesOptions): TransactionPlaces {
  const { all, forNewcomers, ofOrganization, ofPerson, ofCredential, waitMilliseconds } = options;
  const organizations = createGroups();
  const people = createGroups();
  const credentials = createGroups();
  /** By credential; none is empty. */
  const lines = new Map<string, Line>();
  let taken = 0;
  let turn = 0;

  const groupsOf = (asker: TransactionAsker) => [
    organizations.get(asker.organization, turn),
    people.get(asker.person, turn),
    credentials.get(keyOf(asker), turn),
  ];

  function hasPlace(asker: TransactionAsker): boolean {
    const inOrganization = organizations.inside(asker.organization);
    return (
      taken < all &&
      inOrganization < ofOrganization &&
      (inOrganization === 0 || taken < all - forNewcomers) &&
      people.inside(asker.person) < ofPerson &&
      credentials.inside(keyOf(asker)) < ofCredential
    );
  }

  function enter(asker: TransactionAsker): () => void {
    turn += 1;
    taken += 1;
    for (const group of groupsOf(asker)) {
      group.inside += 1;
      group.turn = turn;
    }
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      taken -= 1;
      for (const group of groupsOf(asker)) group.inside -= 1;
      forgetIdle(asker);
      letIn();
    };
  }

  /** Everybody in line for whom there is a place, the next first: a place that is given back may be one for two of them. */
  function letIn(): void {
    for (let next = findNext(); next !== undefined; next = findNext()) {
      const [one] = next.all;
      if (one === undefined) return;
      remove(next.asker, one);
      one.enter();
    }
  }

  /** The line of those who have fewest places, alone or with their organization: the one whose turn, or whose organization's, was longest ago. */
  function findNext(): Line | undefined {
    let next: { readonly line: Line; readonly rank: readonly number[] } | undefined;
    for (const line of lines.values()) {
      if (!hasPlace(line.asker)) continue;
      const [organization, person, credential] = groupsOf(line.asker);
      const rank = [
        Math.max(organization?.inside ?? 0, person?.inside ?? 0),
        Math.max(organization?.turn ?? 0, person?.turn ?? 0),
        credential?.turn ?? 0,
      ];
      if (next === undefined || isBefore(rank, next.rank)) next = { line, rank };
    }
    return next?.line;
  }

  function add(asker: TransactionAsker, one: Waiting): void {
    const key = keyOf(asker);
    const line = lines.get(key) ?? { asker, all: new Set() };
    lines.set(key, line);
    line.all.add(one);
    turn += 1;
    for (const group of groupsOf(asker)) group.waiting += 1;
  }

  function remove(asker: TransactionAsker, one: Waiting): void {
    const key = keyOf(asker);
    const line = lines.get(key);
    if (line?.all.delete(one) !== true) return;
    if (line.all.size === 0) lines.delete(key);
    for (const group of groupsOf(asker)) group.waiting -= 1;
    forgetIdle(asker);
  }

  function forgetIdle(asker: TransactionAsker): void {
    organizations.forgetIdle(asker.organization);
    people.forgetIdle(asker.person);
    credentials.forgetIdle(keyOf(asker));
  }

  return {
    take(asker) {
      if (hasPlace(asker)) return Promise.resolve(enter(asker));
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const one: Waiting = {
        enter() {
          clearTimeout(timer);
          resolve(enter(asker));
        },
      };
      const timer =
        waitMilliseconds === undefined
          ? undefined
          : setTimeout(() => {
              remove(asker, one);
              reject(noPlace());
            }, waitMilliseconds);
      add(asker, one);
      return promise;
    },
  };
}

function createGroups() {
  const groups = new Map<string, Group>();
  return {
    inside: (name: string) => groups.get(name)?.inside ?? 0,
    /** The group; one that comes now has had its turn now. */
    get(name: string, turn: number): Group {
      const group = groups.get(name) ?? { inside: 0, waiting: 0, turn };
      groups.set(name, group);
      return group;
    },
    forgetIdle(name: string): void {
      const group = groups.get(name);
      if (group?.inside === 0 && group.waiting === 0) groups.delete(name);
    },
  };
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}

/** Takes places for requests. Of a public route nobody knows who asks: a link that was emailed, say, or a sign-in. */
export function createTakePlace(options: TransactionPlacesOptions): (request: FastifyRequest) => Promise<() => void> {
  const places = createTransactionPlaces(options);
  return (request) => {
    const { principal, ip } = request;
    if (principal === undefined) {
      const network = toWidestNetwork(ip);
      return places.take({ organization: network, person: network, credential: toClientNetwork(ip) });
    }
    const credential = principal.kind === "session" ? principal.sessionId : principal.keyId;
    return places.take({ organization: principal.accountId, person: personOf(request), credential });
  };
}

function noPlace(): Problem {
  return new Problem("unavailable", "Too many requests. Please try again later.", { retryAfter: retrySeconds });
}

const keyOf = ({ organization, person, credential }: TransactionAsker) => `${organization} ${person} ${credential}`;
