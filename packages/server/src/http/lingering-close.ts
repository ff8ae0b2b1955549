import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";

export interface LingeringLimits {
  /** Without a byte of the rest. */
  readonly standstillMilliseconds: number;
  /** From the answer on. */
  readonly requestMilliseconds: number;
}

/** About as many bytes of a body are read after its answer. */
const restBytesMax = 16_777_216;
const checkMilliseconds = 50;

/**
 * Where an answer ends its connection before the whole body is there, the rest is read and thrown away for a while (RFC 9112 section 9.6). A
 * system answers bytes that come to a closed connection with a reset, which takes what was not read yet from the other side: proxies
 * said 502 in place of our 413, and clients tried again.
 */
export function installLingeringClose(server: Server, limits: LingeringLimits): void {
  const lingering = new WeakSet<Socket>();
  server.on("request", (request) => {
    const { socket } = request;
    // Node calls it at the end of an answer that is the connection's last.
    socket.destroySoon = () => {
      if (request.complete || socket.destroyed) Socket.prototype.destroySoon.call(socket);
      else if (!lingering.has(socket)) {
        lingering.add(socket);
        linger(request, limits);
      }
    };
  });
}

function linger(request: IncomingMessage, limits: LingeringLimits): void {
  const { socket } = request;
  const startedAt = performance.now();
  const first = socket.bytesRead;
  let [read, readAt] = [first, startedAt];
  const timer = setInterval(() => {
    const now = performance.now();
    if (socket.bytesRead > read) [read, readAt] = [socket.bytesRead, now];
    const isOver =
      read - first > restBytesMax ||
      now - readAt >= limits.standstillMilliseconds ||
      now - startedAt >= limits.requestMilliseconds;
    if (isOver) socket.destroy();
  }, checkMilliseconds);
  socket.once("close", () => clearInterval(timer));
  // The next request, should there be one, is not answered.
  request.once("close", () => socket.destroy());
  socket.end();
  request.unpipe();
  request.resume();
}
