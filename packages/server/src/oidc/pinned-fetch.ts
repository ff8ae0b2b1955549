import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { pinnedLookup } from "../webhooks/pinned-lookup.ts";
import { hostnameOf } from "../webhooks/webhook-url.ts";
import { answerBytesMax, type FetchOptions } from "./fetch-options.ts";
import { OidcRefusal } from "./refusal.ts";

export interface PinnedOptions extends FetchOptions {
  readonly signal: AbortSignal;
  /** Certificate authorities instead of the system's, for tests. */
  readonly ca?: string | undefined;
}

/**
 * One request over HTTPS to an address that was checked before, whatever its name leads to by now: asking the name servers a
 * second time could lead into the network. `fetch` takes no address to connect to. Follows no redirect.
 */
export async function fetchPinned(
  url: URL,
  addresses: readonly string[],
  { method, headers, body, signal, ca }: PinnedOptions,
): Promise<Response> {
  const name = hostnameOf(url);
  const outgoing = httpsRequest(url, {
    ...{ method, signal, agent: false, lookup: pinnedLookup(addresses) },
    // No compression: what is counted is what is kept.
    headers: { ...headers, "accept-encoding": "identity" },
    ...(isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca }),
  });
  // Forms of the protocol alone are sent (RFC 6749, section 4.1.3).
  outgoing.end(body === undefined || body === null ? undefined : String(body));
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  if (answer === undefined) throw new OidcRefusal("away");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) {
      outgoing.destroy();
      throw new OidcRefusal("misconfigured", `an answer has more than ${answerBytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  const status = answer.statusCode ?? 502;
  return new Response([204, 205, 304].includes(status) ? null : Buffer.concat(chunks), {
    status,
    headers: Object.entries(answer.headersDistinct).flatMap(([header, values = []]) =>
      values.map((value): [string, string] => [header, value]),
    ),
  });
}
