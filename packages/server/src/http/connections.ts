import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import {
  type Connection,
  type ConnectionNetwork,
  type ConnectionState,
  connectionStates,
  createConnectionNetworks,
  type SharedNetwork,
} from "./connection-networks.ts";
import { createSummedLines } from "./summed-lines.ts";
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
  /** A client that takes less of an answer, over `silentMilliseconds`, is let go like one that takes nothing. */
  readonly answerBytesPerSecondMin: number;
  /** Bytes of requests that wait for their answers: their headers, and `pipelinedBytes` of each that waits for another of its connection. */
  readonly waitingBytesMax: number;
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
  answerBytesPerSecondMin: 1_000,
  waitingBytesMax: 67_108_864,
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

export interface Connections {
  /**
   * For a server that is being closed, which ends idle connections on its own: every other one ends with its answer, and
   * after so long without one. Node would wait for the first as long as for an idle client, and for one that never ends its
   * request for ever, because it no longer looks for slow ones.
   */
  end(patienceMilliseconds: number): void;
}

/** Node's objects for a request, its answer and its route, which waits for another one. */
const pipelinedBytes = 16_384;
/** A network that holds no more of all connections is nobody who shuts others out. */
const greedyShare = 1 / 64;

/**
 * Keeps room for new clients (docs/decisions/0013-slow-clients.md). When there are too many connections, a network that holds more of
 * them for its share than a sixty-fourth loses one, whatever it waits for, in the order of `connectionStates`; so nobody fills them from
 * one network, be it with connections that are owed an answer. Where none holds so many, a reader who takes nothing makes room, or else who has waited
 * longest without having sent a whole request. Only if every one is owed an answer, the new one is refused.
 */
export function limitConnections(
  app: FastifyInstance,
  limits: ConnectionLimits,
  toSharedNetworks: (address: string | undefined) => readonly SharedNetwork[],
): Connections {
  const { server } = app;
  const open = new Map<Socket, Connection>();
  const networks = createConnectionNetworks();
  /** Answered before their request was whole: Node does not count them among the idle ones. */
  const answered = new Set<Socket>();
  const lines = createSummedLines<object>((members, more) => app.log.warn({ ...members, more }, "connections closed"));
  let isEnding = false;
  const timer = setInterval(watchReaders, limits.checkMilliseconds).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    lines.end();
  });

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    const shared = toSharedNetworks(address);
    if (open.size >= limits.connectionsMax && !makeRoom(shared)) {
      log("full", undefined);
      socket.destroy();
      return;
    }
    const at = { address, networks: [], state: "unfinished" } as const;
    const connection: Connection = { ...at, socket, bytes: 0, pairs: new Set(), reading: undefined };
    open.set(socket, connection);
    networks.enter(connection, shared);
    socket.once("close", () => leave(connection));
  });

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = open.get(socket);
    const pair = { request, response };
    const bytes = bytesOf(request) + (connection !== undefined && connection.pairs.size > 0 ? pipelinedBytes : 0);
    if (connection !== undefined) {
      connection.pairs.add(pair);
      networks.addBytes(connection, bytes);
    }
    response.once("close", () => {
      if (connection !== undefined && open.has(socket)) {
        connection.pairs.delete(pair);
        networks.addBytes(connection, -bytes);
        // Put at the end: it has just shown that it is in use.
        if (!isOwed(connection)) networks.move(connection, "unfinished");
      }
      if (isEnding) socket.destroySoon();
      if (request.complete || socket.destroyed) return;
      answered.add(socket);
      request.once("close", () => answered.delete(socket));
    });
    while (networks.all.bytes > limits.waitingBytesMax && letGoOfMost());
  });

  // Behind a proxy each request has a client of its own.
  app.addHook("onRequest", (request, _reply, done) => {
    const connection = open.get(request.raw.socket);
    if (connection !== undefined && connection.address !== request.ip) {
      networks.leave(connection);
      networks.enter(connection, toSharedNetworks(request.ip));
      connection.address = request.ip;
    }
    done();
  });

  return {
    end(patienceMilliseconds) {
      isEnding = true;
      // Says so to a proxy, before it sends the next request on this connection.
      for (const { pairs } of open.values()) for (const { response } of pairs) response.shouldKeepAlive = false;
      for (const socket of answered) socket.destroySoon();
      const ending = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, patienceMilliseconds);
      server.once("close", () => clearTimeout(ending));
    },
  };

  function leave(connection: Connection): void {
    if (open.delete(connection.socket)) networks.leave(connection);
  }

  function letGo(connection: Connection, why: Why): void {
    log(why, connection.state);
    leave(connection);
    connection.socket.destroy();
  }

  function log(why: Why, state: ConnectionState | undefined): void {
    const members = { why, state };
    const kind = { key: `${why} ${state}`, members };
    if (lines.isFirst(kind, kind)) app.log.warn(members, "connection closed");
  }

  /** False where only connections that wait for the service could make room, and no network holds many more of them than the new one's. */
  function makeRoom(newcomer: readonly SharedNetwork[]): boolean {
    const most = networks.findMost("count", Math.max(limits.connectionsMax * greedyShare, 1));
    const isOfMost = newcomer.some(({ text }) => text === most?.text);
    const victim =
      most === undefined
        ? findFirst(networks.all, ["stalled", "unfinished"])
        : findFirst(most, isOfMost ? ["stalled", "unfinished", "reading"] : connectionStates);
    if (victim === undefined) return false;
    letGo(victim, "full");
    return true;
  }

  /** The connection that has waited longest, of the network that holds most for its share by its requests. */
  function letGoOfMost(): boolean {
    const most = networks.findMost("bytes", 0);
    if (most === undefined) return false;
    for (const state of connectionStates)
      for (const connection of most.connections[state])
        if (connection.bytes > 0) {
          letGo(connection, "waiting");
          return true;
        }
    return false;
  }

  function findFirst(network: ConnectionNetwork, states: readonly ConnectionState[]): Connection | undefined {
    for (const state of states)
      for (const connection of network.connections[state]) {
        // Whether a request is whole is looked at here: most are answered before anybody wants to know.
        if (state === "unfinished" && isOwed(connection)) networks.move(connection, "owed");
        else return connection;
      }
    return undefined;
  }

  function watchReaders(): void {
    const now = performance.now();
    for (const connection of open.values())
      if (isOwed(connection)) watchReader(connection, now);
      else connection.reading = undefined;
  }

  function watchReader(connection: Connection, now: number): void {
    const { taken, unread } = progressOf(connection.socket);
    if (unread === 0) {
      connection.reading = undefined;
      if (connection.state !== "owed") networks.move(connection, "owed");
      return;
    }
    connection.reading ??= { taken, takenAt: now, from: { taken, at: now } };
    const { reading } = connection;
    if (taken > reading.taken) Object.assign(reading, { taken, takenAt: now });
    const milliseconds = now - reading.from.at;
    const isSlow = taken - reading.from.taken < (limits.answerBytesPerSecondMin * milliseconds) / 1000;
    if (milliseconds >= limits.silentMilliseconds) {
      if (isSlow) {
        letGo(connection, "slow");
        return;
      }
      reading.from = { taken, at: now };
    }
    const isStalled =
      now - reading.takenAt >= limits.standstillMilliseconds || (isSlow && milliseconds >= limits.requestMilliseconds);
    const state = isStalled ? "stalled" : "reading";
    if (connection.state !== state) networks.move(connection, state);
  }
}

/** For the log: there are too many connections, or requests that wait; or the reader took too little for too long. */
type Why = "full" | "waiting" | "slow";

/** Whether a whole request of it has no whole answer. */
function isOwed({ pairs }: Connection): boolean {
  for (const { request } of pairs) if (request.complete) return true;
  return false;
}

/** Length of the address and the headers. */
function bytesOf({ url = "", rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, url.length);
}

/**
 * How many bytes the system has taken of a connection, and how many of those that it was given are left. `writableLength` counts a whole
 * answer until the last byte of it is taken.
 */
function progressOf(socket: Socket): { readonly taken: number; readonly unread: number } {
  const { _handle: handle } = socket as {
    _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  }; // where `Socket` itself looks whether a write makes progress
  const { bytesWritten = 0, writeQueueSize = 0 } = handle ?? {};
  return { taken: bytesWritten - writeQueueSize, unread: writeQueueSize };
}
