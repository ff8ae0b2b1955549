import type { FindTarget } from "../webhooks/webhook-target.ts";
import { answerBytesMax, type FetchOptions } from "./fetch-options.ts";
import { fetchPinned } from "./pinned-fetch.ts";
import { OidcRefusal } from "./refusal.ts";

export const answerMilliseconds = 10_000;

/**
 * Requests to the identity provider: bounded in size and time, and no redirect is followed. The issuer's own origin may be
 * anywhere, since the operator named it. What its document names elsewhere is asked over HTTPS alone and, like a webhook, never
 * at a private address that the operator has not opened, and at the very address that was checked: a document that was changed
 * must not lead into the network. `ca`: certificate authorities instead of the system's, for tests.
 */
export function createBoundedFetch(
  issuer: string,
  findTarget: FindTarget,
  { milliseconds = answerMilliseconds, ca }: { readonly milliseconds?: number; readonly ca?: string } = {},
) {
  const { origin } = new URL(issuer);
  return async (address: string, { method, headers, body, signal: own }: FetchOptions): Promise<Response> => {
    const url = new URL(address);
    const limit = AbortSignal.timeout(milliseconds);
    const signal = own === undefined ? limit : AbortSignal.any([own, limit]);
    if (url.origin !== origin) {
      const addresses = await requireReachable(url, signal, findTarget);
      return fetchPinned(url, addresses, { method, headers, body, signal, ca });
    }
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

/** The addresses of the host, each of them allowed. */
async function requireReachable(url: URL, signal: AbortSignal, findTarget: FindTarget): Promise<readonly string[]> {
  const target = url.protocol === "https:" ? await findTarget(url, signal) : undefined;
  if (target?.kind === "addresses") return target.addresses;
  throw new OidcRefusal(
    "misconfigured",
    `the provider's document names ${url.origin}, which is not a public address reached by HTTPS; SEALPOST_WEBHOOK_ALLOW_NETWORKS opens private networks`,
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
