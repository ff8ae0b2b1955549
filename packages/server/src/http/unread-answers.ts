import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** So many shorter ones, as many as a connection may have, fit into what the system holds of it anyway. */
const countedFrom = 4096;
/** A stream holds one batch of at most about 1 MiB of rows, as rows and as text. */
const streamBytes = 3 * 1_048_576;
/** Requests of one connection that wait for their answers, or for these to be read. Browsers send one, tools for measuring some ten. */
const pipelinedMax = 16;

/** Each answer is counted for an account, or the network of a stranger, and there for the person who asked. */
interface Party {
  readonly account: string;
  readonly person: string;
}

interface Unread {
  readonly socket: Socket;
  readonly bytes: number;
  /** The bytes themselves, where several answers can share them. */
  readonly shared: Buffer | undefined;
}

/**
 * Bounds what answers hold that were made and are not read (docs/decisions/0013-slow-clients.md). When all together are too much,
 * the account that holds most of it, or the client's network where nobody is signed in, loses one: the oldest of its person who holds
 * most, so a member who reads nothing ends nobody's export but their own. They see an interrupted answer, and everybody else's
 * continue. Bytes that several answers share count once. A connection with too many requests at once is closed.
 */
export function installUnreadLimit(
  app: FastifyInstance,
  unreadBytesMax: number,
  toClientNetwork: (address: string) => string,
): void {
  /** By account and by person; each in the order of their answers. */
  const accounts = new Map<string, Map<string, Set<Unread>>>();
  /** How many answers hold the same bytes. */
  const sharing = new Map<Buffer, number>();
  const waiting = new WeakMap<Socket, number>();
  let total = 0;

  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    reply.raw.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    // Pipelined requests arrive at once: none of the rest is looked at.
    if (count > pipelinedMax) socket.destroy();
    else done();
  });

  app.addHook("onSend", (request, reply, payload: unknown, done) => {
    const bytes = bytesOf(payload);
    if (bytes >= countedFrom) {
      const party = partyOf(request);
      const shared = Buffer.isBuffer(payload) ? payload : undefined;
      const isCounted = shared !== undefined && sharing.has(shared);
      const unread = { socket: request.raw.socket, shared, bytes: isCounted ? 0 : bytes };
      hold(party, unread);
      reply.raw.once("close", () => release(party, unread));
    }
    done();
  });

  function partyOf({ principal, ip }: FastifyRequest): Party {
    if (principal === undefined) return { account: toClientNetwork(ip), person: "" };
    const person = principal.kind === "api_key" ? principal.madeBy : principal.personId;
    return { account: principal.accountId, person };
  }

  function hold({ account, person }: Party, unread: Unread): void {
    const persons = accounts.get(account) ?? new Map<string, Set<Unread>>();
    accounts.set(account, persons.set(person, (persons.get(person) ?? new Set()).add(unread)));
    total += unread.bytes;
    if (unread.shared !== undefined) sharing.set(unread.shared, (sharing.get(unread.shared) ?? 0) + 1);
    while (total > unreadBytesMax && breakOff());
  }

  function release({ account, person }: Party, unread: Unread): void {
    const persons = accounts.get(account);
    const own = persons?.get(person);
    if (persons === undefined || own?.delete(unread) !== true) return;
    total -= unread.bytes;
    if (own.size === 0) persons.delete(person);
    if (persons.size === 0) accounts.delete(account);
    if (unread.shared === undefined) return;
    const others = (sharing.get(unread.shared) ?? 1) - 1;
    if (others > 0) sharing.set(unread.shared, others);
    else sharing.delete(unread.shared);
  }

  /** False when there is nothing to break off. */
  function breakOff(): boolean {
    const most = findMost(accounts, (persons) => [...persons.values()].reduce((sum, own) => sum + bytesHeld(own), 0));
    if (most === undefined) return false;
    const mostOfAccount = findMost(most.value, bytesHeld);
    const oldest = [...(mostOfAccount?.value ?? [])].find(({ bytes }) => bytes > 0);
    if (mostOfAccount === undefined || oldest === undefined) return false;
    release({ account: most.key, person: mostOfAccount.key }, oldest);
    oldest.socket.destroy();
    return true;
  }
}

function bytesHeld(own: ReadonlySet<Unread>): number {
  let sum = 0;
  for (const { bytes } of own) sum += bytes;
  return sum;
}

/** The entry with the most bytes; `undefined` if none has any. */
function findMost<Value>(entries: ReadonlyMap<string, Value>, bytesOfValue: (value: Value) => number) {
  let most: { readonly key: string; readonly value: Value; readonly bytes: number } | undefined;
  for (const [key, value] of entries) {
    const bytes = bytesOfValue(value);
    if (bytes > (most?.bytes ?? 0)) most = { key, value, bytes };
  }
  return most;
}

function bytesOf(payload: unknown): number {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return payload.length;
  return typeof payload === "object" && payload !== null && "pipe" in payload ? streamBytes : 0;
}
