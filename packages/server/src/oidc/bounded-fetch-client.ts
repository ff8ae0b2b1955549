import type { FetchBody } from "openid-client";
import type { FindTarget } from "../webhooks/webhook-target.ts";
import { OidcRefusal } from "./refusal.ts";

/** A request of the protocol's library. */
export interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FetchBody;
  readonly signal?: AbortSignal | undefined;
}

/** Far above every discovery document, set of keys, and token with two hundred groups. */
export const answerBytesMax = 1024 * 1024;
export const answerMilliseconds = 10_000;

/**
 * Requests to the identity provider: bounded in size and time, and no redirect is followed. The issuer's own origin may be
 * anywhere, since the operator named it. What its document names elsewhere is asked over HTTPS alone and, like a webhook, never
 * at a private address that the operator has not opened: a document that was changed must not lead into the network.
 */
export function createBoundedFetch(issuer: string, findTarget: FindTarget, milliseconds = answerMilliseconds) {
  const { origin } = new URL(issuer);
  return async (address: string, { method, headers, body, signal: own }: FetchOptions): Promise<Response> => {
    const url = new URL(address);
    const limit = AbortSignal.timeout(milliseconds);
    const signal = own === undefined ? limit : AbortSignal.any([own, limit]);
    if (url.origin !== origin) await requireReachable(url, signal, findTarget);
    const response = await fetch(url, {
      ...{ method, headers: { ...headers }, redirect: "manual", signal },
      // The two say the same of a body, but for the memory of bytes.
      ...(body !== undefined && { body: body as NonNullable<RequestInit["body"]> }),
    });
    const bytes = await readBounded(response);
    const isEmpty = [204, 205, 304].includes(response.status);
    return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers });
  };
}

async function requireReachable(url: URL, signal: AbortSignal, findTarget: FindTarget): Promise<void> {
  const isAllowed = url.protocol === "https:" && (await findTarget(url, signal)).kind === "addresses";
  if (!isAllowed)
    throw new OidcRefusal(
      "misconfigured",
      `the provider's document names ${url.origin}, which is no public address reached by HTTPS; SEALPOST_WEBHOOK_ALLOW_NETWORKS opens private networks`,
    );
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax)
      throw new OidcRefusal("misconfigured", `an answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
