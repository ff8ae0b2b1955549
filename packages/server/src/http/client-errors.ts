import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Sentence } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { standardHeaders } from "./headers.ts";

/** Statuses of what Node refuses before there is a request; everything else is a 400. The set of codes stays closed, so all are `bad_request`. */
const refusals: Readonly<Record<string, readonly [number, Sentence]>> = {
  HPE_HEADER_OVERFLOW: [431, "The request's headers are too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The request's chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive"],
};

export const malformed = [400, "This is not a valid HTTP request"] as const;

/**
 * Answers what Node's HTTP parser refuses in the shape of every other error, and ends the connection: where the next
 * request would begin cannot be known.
 */
export function createAnswerClientError(isHttps: boolean) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const [status, message] = refusals[error.code ?? ""] ?? malformed;
    const problem = new Problem("bad_request", message, { status });
    refuse(socket, problem, standardHeaders(crypto.randomUUID(), isHttps));
  };
}

/** The service is no proxy. Node would close the connection without a word; an empty `Allow` says that no method is right for such a target. */
export function answerConnects(server: Server, isHttps: boolean): void {
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Nobody else listens to the socket any more, and a client that goes away is not an error.
    socket.on("error", () => {});
    const problem = new Problem("method_not_allowed", "This service is not a proxy");
    const headers = { ...standardHeaders(crypto.randomUUID(), isHttps), allow: "" };
    refuse(socket, problem, headers);
  });
}

function refuse(
  socket: Socket,
  { status, code: error, message, reason: code }: Problem,
  more: Readonly<Record<string, string>>,
): void {
  const body = JSON.stringify({ error, message, code });
  const headers = {
    ...more,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** Node would answer 417 on its own, without our headers. Other expectations than `100-continue` may be ignored (RFC 9110 section 10.1.1). */
export function answerExpectations(server: Server): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
}

/** Whether an answer to the request before has begun, in the midst of which another one would be garbage. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: { readonly headersSent: boolean } | null }; // where Node's own handler looks
  return answer?.headersSent ?? false;
}
