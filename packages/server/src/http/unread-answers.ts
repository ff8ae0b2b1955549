import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

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
}

/**
 * Bounds what answers hold that were made and are not read (docs/decisions/0013-slow-clients.md). When all together are too much,
 * the account that holds most of it, or the client's network where nobody is signed in, loses its oldest: it sees an interrupted
 * answer, and everybody else's continue. Bytes that several answers share count once. A connection with too many requests at once
 * is closed.
 */
export function installUnreadLimit(
  app: FastifyInstance,
  unreadBytesMax: number,
  toClientNetwork: (address: string) => string,
): void {
  /** By account, or by the network of a stranger; each in the order of its answers. */
  const parties = new Map<string, Set<Unread>>();
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
      const party = request.principal?.accountId ?? toClientNetwork(request.ip);
      const shared = Buffer.isBuffer(payload) ? payload : undefined;
      const isCounted = shared !== undefined && sharing.has(shared);
      const unread = { socket: request.raw.socket, shared, bytes: isCounted ? 0 : bytes };
      hold(party, unread);
      reply.raw.once("close", () => release(party, unread));
    }
    done();
  });

  function hold(party: string, unread: Unread): void {
    const own = parties.get(party) ?? new Set();
    parties.set(party, own.add(unread));
    total += unread.bytes;
    if (unread.shared !== undefined) sharing.set(unread.shared, (sharing.get(unread.shared) ?? 0) + 1);
    while (total > unreadBytesMax && breakOff());
  }

  function release(party: string, unread: Unread): void {
    const own = parties.get(party);
    if (own?.delete(unread) !== true) return;
    total -= unread.bytes;
    if (own.size === 0) parties.delete(party);
    if (unread.shared === undefined) return;
    const others = (sharing.get(unread.shared) ?? 1) - 1;
    if (others > 0) sharing.set(unread.shared, others);
    else sharing.delete(unread.shared);
  }

  /** False when there is nothing to break off. */
  function breakOff(): boolean {
    let most: { readonly party: string; readonly oldest: Unread; readonly bytes: number } | undefined;
    for (const [party, own] of parties) {
      let oldest: Unread | undefined;
      let bytes = 0;
      for (const unread of own) {
        if (unread.bytes > 0) oldest ??= unread;
        bytes += unread.bytes;
      }
      if (oldest !== undefined && bytes > (most?.bytes ?? 0)) most = { party, oldest, bytes };
    }
    if (most === undefined) return false;
    release(most.party, most.oldest);
    most.oldest.socket.destroy();
    return true;
  }
}

function bytesOf(payload: unknown): number {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return payload.length;
  return typeof payload === "object" && payload !== null && "pipe" in payload ? streamBytes : 0;
}
