import type { FastifyRequest } from "fastify";
import { personOf } from "../access/access.ts";
import { Problem } from "../problems/problem.ts";
import { toClientNetwork } from "./client-address.ts";

/** Who begins a transaction: the person, or a stranger's network; and the session or API key that the request came with. */
export interface TransactionAsker {
  readonly person: string;
  readonly credential: string;
}

/**
 * Places for the transactions of requests: as many at once as leave connections to visitors and to the service itself. A transaction that
 * waits for a lock keeps its connection, and somebody who sends many requests that lock the same waits for themselves with each of them: without places
 * that took all connections, within everybody's rates. People take turns, and of one person each session and API key.
 */
export interface TransactionPlaces {
  /** Resolves when there is a place, with what gives it back. Throws `unavailable` where there is none for too long. */
  take(asker: TransactionAsker): Promise<() => void>;
}

export interface TransactionPlacesOptions {
  /** Transactions at once. */
  readonly all: number;
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
  postgres: { all: 6, ofPerson: 3, ofCredential: 2, waitMilliseconds: 20_000 },
  sqlite: { all: 1, ofPerson: 1, ofCredential: 1 },
} as const satisfies Record<string, TransactionPlacesOptions>;

const retrySeconds = 5;

interface Waiting {
  readonly enter: () => void;
}

/** By credential, in the order of their latest turns; none is empty. */
type Lines = Map<string, Set<Waiting>>;

export function createTransactionPlaces(options: TransactionPlacesOptions): TransactionPlaces {
  const { all, ofPerson, ofCredential, waitMilliseconds } = options;
  /** The places that are taken, by person and by credential. */
  const [people, credentials] = [new Map<string, number>(), new Map<string, number>()];
  /** By person, in the order of their latest turns; nobody is in it without a line. */
  const waiting = new Map<string, Lines>();
  let taken = 0;

  const hasPlace = ({ person, credential }: TransactionAsker) =>
    taken < all &&
    (people.get(person) ?? 0) < ofPerson &&
    (credentials.get(keyOf(person, credential)) ?? 0) < ofCredential;

  function enter(asker: TransactionAsker): () => void {
    count(asker, 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      count(asker, -1);
      letIn();
    };
  }

  function count({ person, credential }: TransactionAsker, difference: number): void {
    taken += difference;
    add(people, person, difference);
    add(credentials, keyOf(person, credential), difference);
  }

  /** The next in line, where there is a place for them: of the person who has fewest. */
  function letIn(): void {
    const next = findNext();
    if (next === undefined) return;
    const { asker, lines, first } = next;
    remove(asker, first);
    // At the end, after everybody else who waits.
    moveToEnd(lines, asker.credential);
    moveToEnd(waiting, asker.person);
    first.enter();
  }

  function findNext() {
    let [next, fewest]: [ReturnType<typeof findOf>, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const [person, lines] of waiting) {
      const had = people.get(person) ?? 0;
      if (had >= fewest) continue;
      const found = findOf(person, lines);
      if (found !== undefined) [next, fewest] = [found, had];
    }
    return next;
  }

  function findOf(person: string, lines: Lines) {
    for (const [credential, [first]] of lines) {
      const asker = { person, credential };
      if (first !== undefined && hasPlace(asker)) return { asker, lines, first };
    }
    return undefined;
  }

  function remove({ person, credential }: TransactionAsker, one: Waiting): void {
    const lines = waiting.get(person);
    const line = lines?.get(credential);
    line?.delete(one);
    if (line?.size === 0) lines?.delete(credential);
    if (lines?.size === 0) waiting.delete(person);
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
      const lines: Lines = waiting.get(asker.person) ?? new Map();
      const line = lines.get(asker.credential) ?? new Set();
      waiting.set(asker.person, lines.set(asker.credential, line.add(one)));
      return promise;
    },
  };
}

/** Takes places for requests. Of a public route nobody knows who asks: a link that was emailed, say, or a sign-in. */
export function createTakePlace(options: TransactionPlacesOptions): (request: FastifyRequest) => Promise<() => void> {
  const places = createTransactionPlaces(options);
  return (request) => {
    const { principal, ip } = request;
    if (principal === undefined) return places.take({ person: toClientNetwork(ip), credential: "" });
    const credential = principal.kind === "session" ? principal.sessionId : principal.keyId;
    return places.take({ person: personOf(request), credential });
  };
}

function noPlace(): Problem {
  return new Problem("unavailable", "Too many requests. Please try again later.", { retryAfter: retrySeconds });
}

const keyOf = (person: string, credential: string) => `${person} ${credential}`;

function add(counts: Map<string, number>, name: string, difference: number): void {
  const sum = (counts.get(name) ?? 0) + difference;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}

function moveToEnd<Value>(map: Map<string, Value>, name: string): void {
  const value = map.get(name);
  if (value === undefined) return;
  map.delete(name);
  map.set(name, value);
}
