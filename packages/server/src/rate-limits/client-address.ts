import ipaddr from "ipaddr.js";

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 one, because a household or a rented server gets
 * that many at least. An IPv4 address written as IPv6 is the IPv4 one. Text that is not an address counts unchanged.
 * A connection that was reset has no address any more, though Fastify's type says that each request has one.
 */
export function toClientNetwork(address: string | undefined): string {
  if (address === undefined) return "";
  const text = address.split("%")[0] ?? address; // a link-local one may name its interface
  if (!ipaddr.isValid(text)) return text;
  const parsed = ipaddr.process(text);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return parsed.toByteArray().slice(0, 8).join(".");
}
