import ipaddr from "ipaddr.js";

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 one, because a household or a rented server gets
 * that many at least. An IPv4 address written as IPv6 is the IPv4 one. Some proxies write the client's port into `X-Forwarded-For`, which is
 * another one for each connection: it is left out. All text that is no address counts as one client, so that no spelling is a way around the limits.
 * A connection that was reset has no address any more, though Fastify's type says that each request has one.
 */
export function toClientNetwork(address: string | undefined): string {
  if (address === undefined) return "";
  const text = readAddress(address);
  if (text === undefined) return "unknown";
  const parsed = ipaddr.process(text);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return parsed.toByteArray().slice(0, 8).join(".");
}

/** The address alone, without a port, brackets and the interface of a link-local one; `undefined` for text that has none. */
export function readAddress(text: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? plain ?? text.trim()).split("%")[0] ?? "";
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : undefined;
}
