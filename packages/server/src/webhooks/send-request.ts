import type { ClientRequest, IncomingMessage } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { isSameAddress } from "./address.ts";
import { pinnedLookup } from "./pinned-lookup.ts";
import { outcomeOfAbort, type UnansweredError, type WebhookOutcome } from "./webhook-outcome.ts";
import type { WebhookRequest } from "./webhook-request.ts";
import { hostnameOf } from "./webhook-url.ts";

interface SentRequest {
  readonly url: URL;
  /** The checked addresses of its host; the connection goes to one of them and to nothing else. */
  readonly addresses: readonly string[];
  readonly request: WebhookRequest;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

const answerBytesMax = 64 * 1024;
const headerBytesMax = 16 * 1024;
const informationMax = 16;

/** One request on one connection. `unsent`: a kept connection turned out to be closed before a byte of it went out. */
export function sendRequest({
  url,
  addresses,
  request,
  agent,
  signal,
}: SentRequest): Promise<WebhookOutcome | "unsent"> {
  const { promise, resolve } = Promise.withResolvers<WebhookOutcome | "unsent">();
  const name = hostnameOf(url);
  const outgoing = httpsRequest(url, {
    method: request.method ?? "POST",
    agent,
    headers: { ...request.headers, ...(request.method !== "GET" && { "content-length": request.body.byteLength }) },
    lookup: pinnedLookup(addresses),
    maxHeaderSize: headerBytesMax,
    // Without the trailing dot, which certificates never have.
    ...(isIP(name) === 0 && { servername: name }),
  });
  const connection = watchConnection(outgoing, addresses);
  const abort = () => outgoing.destroy();
  let informations = 0;
  let hasAnswer = false;

  function settle(outcome: WebhookOutcome | "unsent"): void {
    signal.removeEventListener("abort", abort);
    resolve(outcome);
  }
  signal.addEventListener("abort", abort, { once: true });
  outgoing.on("response", (answer) => {
    hasAnswer = true;
    readAnswer(answer, outgoing, signal, settle);
  });
  // A flood of 1xx answers would otherwise keep us reading until the deadline.
  outgoing.on("information", () => {
    informations += 1;
    if (informations > informationMax) outgoing.destroy(new Error("too many 1xx answers"));
  });
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    if (hasAnswer) return;
    if (signal.aborted) settle(outcomeOfAbort(signal));
    else if (connection.isClosedWhileKept(error))
      settle(connection.hasSent() ? { kind: "kept_connection_closed" } : "unsent");
    else settle({ kind: "unanswered", error: classify(error, connection.isSecure()) });
  });
  outgoing.on("close", () => {
    // Only what nothing above has settled: an upgrade that nobody asked for, a flood cut off.
    if (!hasAnswer) settle(signal.aborted ? outcomeOfAbort(signal) : { kind: "unanswered", error: "malformed_answer" });
  });
  outgoing.end(request.body);
  return promise;
}

/**
 * The status decides, also where the rest of the answer is lost: a receiver that has said 2xx has taken the event, and would get it
 * twice. But a 2xx has to end within the deadline.
 */
function readAnswer(
  answer: IncomingMessage,
  outgoing: ClientRequest,
  signal: AbortSignal,
  settle: (outcome: WebhookOutcome) => void,
): void {
  const { statusCode = 0, headers } = answer;
  const responded = {
    kind: "responded",
    statusCode,
    retryAfter: headers["retry-after"],
    // Node reads headers as Latin-1; what is on the wire is UTF-8 where it is not ASCII.
    location: headers.location === undefined ? undefined : Buffer.from(headers.location, "latin1").toString("utf8"),
  } as const;
  let bytes = 0;
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < answerBytesMax) return;
    settle(responded);
    outgoing.destroy();
  });
  answer.on("error", () => {}); // "close" follows
  answer.on("close", () => {
    const isLate = signal.aborted && !answer.complete && statusCode >= 200 && statusCode <= 299;
    settle(isLate ? outcomeOfAbort(signal) : responded);
  });
}

function watchConnection(outgoing: ClientRequest, addresses: readonly string[]) {
  let socket: Socket | undefined;
  let bytesBefore = 0;
  let writtenBefore = 0;
  let isSecure = false;
  outgoing.on("socket", (assigned) => {
    socket = assigned;
    bytesBefore = assigned.bytesRead;
    writtenBefore = assigned.bytesWritten ?? 0;
    isSecure = outgoing.reusedSocket;
    if (outgoing.reusedSocket) return;
    assigned.once("secureConnect", () => {
      isSecure = true;
    });
    assigned.once("connect", () => {
      const { remoteAddress = "" } = assigned;
      if (!addresses.some((address) => isSameAddress(address, remoteAddress)))
        outgoing.destroy(Object.assign(new Error("connected to another address"), { code: "EADDRNOTAVAIL" }));
    });
  });
  return {
    isSecure: () => isSecure,
    isClosedWhileKept: (error: NodeJS.ErrnoException) =>
      outgoing.reusedSocket && isClosing(error) && socket?.bytesRead === bytesBefore,
    /** Also what was handed to the system alone: nobody knows how far it came. */
    hasSent: () => (socket?.bytesWritten ?? 0) > writtenBefore,
  };
}

function isClosing({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Refused, reset and unreachable are one and the same to the reader of a log, as long as no receiver has shown a certificate. */
function classify(error: NodeJS.ErrnoException, isSecure: boolean): UnansweredError {
  const { code = "" } = error;
  if (isSecure && isClosing(error)) return "connection_closed";
  if (code.startsWith("HPE_")) return "malformed_answer";
  if (/^E[A-Z]+$/.test(code) && code !== "EPROTO") return "could_not_connect";
  return isSecure ? "malformed_answer" : "tls_failed";
}
