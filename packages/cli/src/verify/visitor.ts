import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { createZstd } from "./zstd.ts";

export type Answer =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Decompressed. */
      readonly body: Buffer;
    }
  | { readonly kind: "unavailable"; readonly reason: string }
  | { readonly kind: "too large" };

/** Asks without cookies or credentials, and follows no redirect. Rejects only when `signal` is aborted. */
export interface Visitor {
  get(url: URL, headers: Readonly<Record<string, string>>): Promise<Answer>;
  close(): void;
}

/** The largest file of a release has less than 1 MiB. */
const bytesMax = 8 << 20;
const answerMilliseconds = 30_000;
const retriesMax = 3;
const redirectsMax = 5;
const retrySecondsMax = 60;

class TooLarge extends Error {}

/** A visitor with connections of its own, six at most, as a browser has. */
export function createVisitor(signal: AbortSignal): Visitor {
  const options = { keepAlive: true, maxSockets: 6 };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  async function getOnce(url: URL, asked: Readonly<Record<string, string>>): Promise<Answer> {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(answerMilliseconds)]);
    try {
      const response = await send(url, asked, ended);
      const body = await readBody(response, ended);
      // Node.js gives the first of several such headers and browsers take the last, so more than one must show.
      const type = response.headersDistinct["content-type"]?.join(", ");
      const headers = { ...response.headers, ...(type !== undefined && { "content-type": type }) };
      return { kind: "answer", status: response.statusCode ?? 0, headers, body };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TooLarge) return { kind: "too large" };
      if (ended.aborted) return { kind: "unavailable", reason: `no answer in ${answerMilliseconds / 1000} seconds` };
      return { kind: "unavailable", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  function send(url: URL, headers: Readonly<Record<string, string>>, ended: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const isEncrypted = url.protocol === "https:";
      const request = isEncrypted ? requestHttps : requestHttp;
      request(url, { headers, signal: ended, agent: isEncrypted ? agents.https : agents.http })
        .on("response", resolve)
        .on("error", reject)
        .end();
    });
  }

  return {
    async get(url, headers) {
      for (let retries = 0; ; retries += 1) {
        const answer = await getOnce(url, headers);
        if (answer.kind !== "answer" || answer.status !== 429 || retries === retriesMax) return answer;
        const seconds = Number(answer.headers["retry-after"]) || 1;
        await wait(Math.min(Math.max(seconds, 1), retrySecondsMax) * 1000, undefined, { signal });
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The answer at the end of redirects, of which none leads from https to http. */
export async function follow(
  visitor: Visitor,
  start: URL,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly answer: Answer; readonly url: URL }> {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await visitor.get(url, headers);
    const location = answer.kind === "answer" && answer.status >= 300 && answer.status < 400 && answer.headers.location;
    if (!location || redirects === redirectsMax || !URL.canParse(location, url.href)) return { answer, url };
    const next = new URL(location, url);
    if (!/^https?:$/.test(next.protocol) || (url.protocol === "https:" && next.protocol === "http:"))
      return { answer, url };
    url = next;
  }
}

async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new TooLarge();
      chunks.push(chunk);
    }
  };
  const decoder = createDecoder(response);
  // An error on either side ends both.
  if (decoder === undefined) await pipeline(response as Readable, collect, { signal });
  else await pipeline(response as Readable, decoder, collect, { signal });
  return Buffer.concat(chunks);
}

function createDecoder({ headers }: IncomingMessage) {
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity") return undefined;
  if (encoding === "br") return createBrotliDecompress();
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "deflate") return createInflate();
  if (encoding === "zstd" && createZstd !== undefined) return createZstd();
  throw new Error(`an answer in the encoding ${encoding}, which nobody asked for`);
}
