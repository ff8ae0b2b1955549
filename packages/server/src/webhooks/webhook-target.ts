import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import type { Network } from "../config/config-values.ts";
import { createAddressRule } from "./address.ts";
import { type CheckWebhookUrl, hostnameOf, parseWebhookUrl, showHost } from "./webhook-url.ts";

/** Every IPv4 and IPv6 address of a name. Rejects when it has none, or when either question got no clear answer. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export type Target =
  /** At least one address, each of them allowed. */
  | { readonly kind: "addresses"; readonly addresses: readonly string[] }
  /** At least one address is forbidden; the allowed ones of a mixed set are not used either. */
  | { readonly kind: "forbidden" }
  /** No answer is no permission: nothing may be connected to. */
  | { readonly kind: "unresolved" };

/** Finds and checks the addresses of a webhook URL. Never throws. */
export type FindTarget = (url: URL, signal: AbortSignal) => Promise<Target>;

export function createFindTarget(opened: readonly Network[], resolve: Resolve = resolveByDns): FindTarget {
  const isAllowed = createAddressRule(opened);
  return async (url, signal) => {
    const name = hostnameOf(url);
    let addresses: readonly string[];
    if (isIP(name) !== 0) addresses = [name];
    // RFC 6761 section 6.3: never asked of a name server, whose answer nobody should have to trust.
    else if (name === "localhost" || name.endsWith(".localhost")) addresses = ["127.0.0.1", "::1"];
    else {
      try {
        addresses = await abortable(resolve(name, signal), signal);
      } catch {
        return { kind: "unresolved" };
      }
    }
    if (addresses.length === 0) return { kind: "unresolved" };
    return addresses.every(isAllowed) ? { kind: "addresses", addresses } : { kind: "forbidden" };
  };
}

/**
 * Asks the system's name servers through c-ares, which holds no thread while it waits: `dns.lookup` would hold one of
 * libuv's four for each name that hangs, and stall every other receiver. Names that stand only in /etc/hosts are not found.
 */
export const resolveByDns: Resolve = async (name, signal) => {
  // One resolver per name, because cancelling ends every question of a resolver.
  const resolver = new dns.Resolver();
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.all([
      resolver.resolve4(name).catch(noSuchName),
      resolver.resolve6(name).catch(noSuchName),
    ]);
    return answers.flat();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
};

/** A clear "there is none" is an empty answer; SERVFAIL, silence and everything else stay errors. */
function noSuchName(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENODATA" || error.code === "ENOTFOUND") return [];
  throw error;
}

/** Rejects with the signal, so that a resolver that ignores it cannot hold up its caller. */
async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const checkDeadlineMilliseconds = 5000;

/**
 * The check at save: a malformed URL, or one whose address is forbidden as written or as resolved, is refused. A name that
 * does not resolve (yet) is accepted, since every attempt resolves and checks again.
 */
export function createCheckWebhookUrl(
  findTarget: FindTarget,
  deadlineMilliseconds = checkDeadlineMilliseconds,
): CheckWebhookUrl {
  return async (text) => {
    const url = parseWebhookUrl(text);
    if (typeof url === "string") return { ok: false, message: url };
    const target = await findTarget(url, AbortSignal.timeout(deadlineMilliseconds));
    if (target.kind === "forbidden")
      return {
        ok: false,
        message:
          "Must not lead to a private, local or reserved address. The server's operator can allow it with SEALPOST_WEBHOOK_ALLOW_NETWORKS",
      };
    return { ok: true, url: showHost(text, url) };
  };
}
