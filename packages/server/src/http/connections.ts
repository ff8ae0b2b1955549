import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { UnfinishedBodyLimits } from "./unfinished-bodies.ts";

/** How long a client may take, and how many there may be at once (docs/decisions/0013-slow-clients.md). */
export interface ConnectionLimits extends UnfinishedBodyLimits {
  /** From the first byte of a request, or the connection's begin, to the end of its headers. */
  readonly headersMilliseconds: number;
  /** The same to the end of its body, however steadily that comes: longer than the largest one takes at `bodyBytesPerSecondMin`. */
  readonly requestMillisecondsMax: number;
  /** Between two requests of one connection. */
  readonly idleMilliseconds: number;
  /** Without a byte in either direction while an answer is due or being read. */
  readonly silentMilliseconds: number;
  /** From the begin of a stop to the end of what is still open: with a webhook attempt's 30 s it fits into 45. */
  readonly stopMilliseconds: number;
  /** Bytes of all answers together that were made and not read yet (`installUnreadLimit`). */
  readonly unreadBytesMax: number;
  /** Open at once, on this process. */
  readonly connectionsMax: number;
}

export const connectionLimits: Omit<ConnectionLimits, "connectionsMax"> = {
  headersMilliseconds: 10_000,
  requestMilliseconds: 30_000,
  bodyBytesPerSecondMin: 4_000,
  requestMillisecondsMax: 310_000,
  // Longer than the 60 s of the usual proxies, or they answer 502 when both close at once.
  idleMilliseconds: 75_000,
  // Longer than any route takes to begin its answer; a client that reads an export may pause as long.
  silentMilliseconds: 300_000,
  checkMilliseconds: 5_000,
  stopMilliseconds: 10_000,
  unreadBytesMax: 134_217_728,
  bodyBytesMax: 134_217_728,
  bodyBytesMaxOfAddress: 33_554_432,
  standstillMilliseconds: 10_000,
};

const wantedConnectionsMax = 16_000;

/**
 * As many connections as are wanted, but never so many that none of the process's files are left for the database and
 * for deliveries: a quarter of them stays free.
 */
export function findConnectionsMax(readLimits = () => readFileSync("/proc/self/limits", "utf8")): number {
  let limits = "";
  try {
    limits = readLimits();
  } catch {
    // Only Linux says so there; Node has raised the limit as far as it may anyway.
  }
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(wantedConnectionsMax, Math.floor(files * 0.75));
}

interface RequestPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Connections {
  /**
   * For a server that is being closed, which ends idle connections on its own: every other one ends with its answer, and
   * after so long without one. Node would wait for the first as long as for an idle client, and for one that never ends its
   * request for ever, because it no longer looks for slow ones.
   */
  end(patienceMilliseconds: number): void;
}

/**
 * Keeps room for new clients: when there are too many connections, the one that has waited longest without having sent a
 * whole request is closed. Only if every one of them is owed an answer, the new one is refused.
 */
export function limitConnections(server: Server, connectionsMax: number): Connections {
  /** In the order of their last whole request, with what is being answered. */
  const open = new Map<Socket, RequestPair | undefined>();
  /** Answered before their request was whole: Node does not count them among the idle ones. */
  const answered = new Set<Socket>();
  let isEnding = false;
  server.on("connection", (socket: Socket) => {
    if (open.size >= connectionsMax) (findVictim(open) ?? socket).destroy();
    if (socket.destroyed) return;
    open.set(socket, undefined);
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (open.has(socket)) open.set(socket, { request, response });
    response.once("close", () => {
      // Put at the end: it has just shown that it is in use.
      if (open.delete(socket) && !socket.destroyed) open.set(socket, undefined);
      if (isEnding) socket.destroySoon();
      if (request.complete || socket.destroyed) return;
      answered.add(socket);
      request.once("close", () => answered.delete(socket));
    });
  });
  return {
    end(patienceMilliseconds) {
      isEnding = true;
      // Says so to a proxy, before it sends the next request on this connection.
      for (const pair of open.values()) if (pair !== undefined) pair.response.shouldKeepAlive = false;
      for (const socket of answered) socket.destroySoon();
      const timer = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, patienceMilliseconds);
      server.once("close", () => clearTimeout(timer));
    },
  };
}

function findVictim(open: ReadonlyMap<Socket, RequestPair | undefined>): Socket | undefined {
  for (const [socket, pair] of open) if (pair?.request.complete !== true) return socket;
  return undefined;
}
