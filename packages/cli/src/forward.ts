import { request } from "node:http";
import { CommandError } from "./exit-code.ts";

export type ForwardOutcome =
  | { readonly kind: "answered"; readonly status: number }
  /** Nobody listens there: nothing was sent. */
  | { readonly kind: "not_listening" }
  | { readonly kind: "unanswered"; readonly reason: string };

/** Contract, section 9.4: the receiver's time, from the connection to the end of its answer. */
const answerMilliseconds = 30_000;
const answerBytesMax = 64 * 1024;

/** An address on this machine. Throws a `CommandError` for any other: what is forwarded is signed, and not encrypted again. */
export function parseForwardUrl(text: string): URL {
  const url = URL.parse(text);
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? "");
  if (url === null || url.protocol !== "http:" || !isLocal || url.username !== "")
    throw new CommandError("usage", `--forward takes an address on this machine, like http://localhost:3000/: ${text}`);
  return url;
}

/** One POST with exactly these headers (fetch would add its own). Rejects only when `signal` ends it. */
export function forward(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<ForwardOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<ForwardOutcome>();
  const deadline = AbortSignal.timeout(answerMilliseconds);
  const outgoing = request(url, {
    method: "POST",
    headers: { ...headers, "content-length": body.byteLength },
    signal: AbortSignal.any([signal, deadline]),
  });
  const fail = (error: NodeJS.ErrnoException) => {
    if (signal.aborted) return reject(signal.reason);
    if (deadline.aborted) return resolve({ kind: "unanswered", reason: "no complete answer within 30 seconds" });
    resolve(isRefused(error) ? { kind: "not_listening" } : { kind: "unanswered", reason: error.message });
  };
  outgoing.on("error", fail);
  outgoing.on("response", (answer) => {
    const { statusCode: status = 0 } = answer;
    let bytes = 0;
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < answerBytesMax) return;
      resolve({ kind: "answered", status });
      outgoing.destroy();
    });
    answer.on("end", () => resolve({ kind: "answered", status }));
    answer.on("error", fail);
  });
  outgoing.end(body);
  return promise;
}

/** `localhost` has two addresses, and then both are in one error. */
function isRefused(error: NodeJS.ErrnoException): boolean {
  return error.code === "ECONNREFUSED";
}
