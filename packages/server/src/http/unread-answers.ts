import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

/** Shorter answers fit into what the system holds of a connection anyway. */
const countedFrom = 65_536;
/** A stream holds one batch of at most about 1 MiB of rows, as rows and as text. */
const streamBytes = 3 * 1_048_576;

interface Unread {
  readonly response: ServerResponse;
  readonly bytes: number;
}

/**
 * Bounds what answers hold that were made and are not read. When all together are too much, the account that holds most of
 * it loses its oldest: it sees an interrupted answer, and everybody else's continue. Public answers are short, or the same
 * bytes for everybody.
 */
export function installUnreadLimit(app: FastifyInstance, unreadBytesMax: number): void {
  /** Keyed by account; each in the order of its answers. */
  const accounts = new Map<string, Set<Unread>>();
  let total = 0;

  app.addHook("onSend", (request, reply, payload: unknown, done) => {
    const bytes = bytesOf(payload);
    if (request.principal !== undefined && bytes >= countedFrom)
      hold(request.principal.accountId, { response: reply.raw, bytes });
    done();
  });

  function hold(accountId: string, unread: Unread): void {
    const own = accounts.get(accountId) ?? new Set();
    accounts.set(accountId, own.add(unread));
    total += unread.bytes;
    unread.response.once("close", () => release(accountId, unread));
    while (total > unreadBytesMax && breakOff());
  }

  function release(accountId: string, unread: Unread): void {
    const own = accounts.get(accountId);
    if (own?.delete(unread) !== true) return;
    total -= unread.bytes;
    if (own.size === 0) accounts.delete(accountId);
  }

  /** False when there is nothing to break off. */
  function breakOff(): boolean {
    let most: { readonly accountId: string; readonly oldest: Unread; readonly bytes: number } | undefined;
    for (const [accountId, own] of accounts) {
      const [oldest] = own;
      let bytes = 0;
      for (const unread of own) bytes += unread.bytes;
      if (oldest !== undefined && bytes > (most?.bytes ?? 0)) most = { accountId, oldest, bytes };
    }
    if (most === undefined) return false;
    release(most.accountId, most.oldest);
    most.oldest.response.destroy();
    return true;
  }
}

function bytesOf(payload: unknown): number {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return payload.length;
  return typeof payload === "object" && payload !== null && "pipe" in payload ? streamBytes : 0;
}
