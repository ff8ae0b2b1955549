import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** So many shorter ones, as many as a connection may have, fit into what the system holds of it anyway. */
const countedFrom = 4096;
/** A stream holds one batch of at most about 1 MiB of rows, as rows and as text. */
const streamBytes = 3 * 1_048_576;
/** Requests of one connection that wait for their answers, or for these to be read. Browsers send one, tools for measuring some ten. */
const pipelinedMax = 16;

interface Unread {
  readonly socket: Socket;
  readonly bytes: number;
  /** The bytes themselves, where several answers can share them. */
  readonly shared: Buffer | undefined;
  /** `undefined` of a stranger. */
  readonly account: string | undefined;
  /** Who asked, in whichever of their accounts. */
  readonly person: string | undefined;
  /** The networks that a stranger's address is in, the narrowest first; none of a person. */
  readonly networks: readonly SharedNetwork[];
}

/** A network of a client, and how many times as much as an address it may hold. */
interface SharedNetwork {
  readonly text: string;
  readonly share: number;
}

/**
 * Bounds what answers hold that were made and are not read (docs/decisions/0013-slow-clients.md). When all together are too much, the
 * account or the person that holds most of it loses one, or the network that holds most for its share where nobody is signed in: the oldest of the person, and
 * within an account of its person who holds most, so a member who reads nothing ends nobody's export but their own. They see an
 * interrupted answer, and everybody else's continue. Bytes that several answers share count once. A connection with too many requests at
 * once is closed.
 */
export function installUnreadLimit(
  app: FastifyInstance,
  unreadBytesMax: number,
  toSharedNetworks: (address: string) => readonly SharedNetwork[],
): void {
  /** In the order of the answers. */
  const held = new Set<Unread>();
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
    // Who has left before the answer was made holds nothing, and is not heard of again.
    if (bytes >= countedFrom && !reply.raw.closed && !reply.raw.destroyed) {
      const shared = Buffer.isBuffer(payload) ? payload : undefined;
      const isCounted = shared !== undefined && sharing.has(shared);
      const unread = { socket: request.raw.socket, shared, bytes: isCounted ? 0 : bytes, ...partyOf(request) };
      hold(unread);
      reply.raw.once("close", () => release(unread));
    }
    done();
  });

  function partyOf({ principal, ip }: FastifyRequest): Pick<Unread, "account" | "person" | "networks"> {
    if (principal === undefined) return { account: undefined, person: undefined, networks: toSharedNetworks(ip) };
    const person = principal.kind === "api_key" ? principal.madeBy : principal.personId;
    return { account: principal.accountId, person, networks: [] };
  }

  function hold(unread: Unread): void {
    held.add(unread);
    total += unread.bytes;
    if (unread.shared !== undefined) sharing.set(unread.shared, (sharing.get(unread.shared) ?? 0) + 1);
    while (total > unreadBytesMax && breakOff());
  }

  function release(unread: Unread): void {
    if (!held.delete(unread)) return;
    total -= unread.bytes;
    if (unread.shared === undefined) return;
    const others = (sharing.get(unread.shared) ?? 1) - 1;
    if (others > 0) sharing.set(unread.shared, others);
    else sharing.delete(unread.shared);
  }

  /** False when there is nothing to break off. */
  function breakOff(): boolean {
    const all = [...held].filter(({ bytes }) => bytes > 0);
    const account = findMost(all, (unread) => unread.account);
    const person = findMost(all, (unread) => unread.person);
    // Nobody gains by having many members, or many organizations.
    const member = account.bytes >= person.bytes ? findMost(account.unread, (unread) => unread.person) : person;
    const stranger = findMostOfNetworks(all);
    const [oldest] = (stranger.bytes >= Math.max(account.bytes, person.bytes) ? stranger : member).unread;
    if (oldest === undefined) return false;
    release(oldest);
    oldest.socket.destroy();
    return true;
  }
}

interface Share {
  readonly unread: readonly Unread[];
  readonly bytes: number;
}

/** The answers with the same key that hold most together; those without a key are nobody's. */
function findMost(all: readonly Unread[], keyOf: (unread: Unread) => string | undefined): Share {
  let most: Share = { unread: [], bytes: 0 };
  for (const [key, unread] of Map.groupBy(all, keyOf)) {
    const bytes = unread.reduce((sum, one) => sum + one.bytes, 0);
    if (key !== undefined && bytes > most.bytes) most = { unread, bytes };
  }
  return most;
}

/** The same of strangers: of the network that holds most for its share, the address that does. */
function findMostOfNetworks(all: readonly Unread[]): Share {
  let most: Share = { unread: [], bytes: 0 };
  for (const share of new Set(all.flatMap(({ networks }) => networks.map((network) => network.share)))) {
    const wide = findMost(all, ({ networks }) => networks.find((network) => network.share === share)?.text);
    if (wide.bytes / share > most.bytes) most = { unread: wide.unread, bytes: wide.bytes / share };
  }
  return { ...most, unread: findMost(most.unread, ({ networks }) => networks[0]?.text).unread };
}

function bytesOf(payload: unknown): number {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return payload.length;
  return typeof payload === "object" && payload !== null && "pipe" in payload ? streamBytes : 0;
}
