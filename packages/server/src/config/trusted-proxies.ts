import ipaddr from "ipaddr.js";
import type { Network } from "./config-values.ts";

/**
 * The error of these proxies, or `undefined`. If they are everybody, alone or together, anyone who reaches the service
 * says which address is theirs.
 */
export function findProxiesError(proxies: readonly Network[]): string | undefined {
  const prefixes = proxies.map(toPrefix);
  const covered = spaces.filter(({ prefix }) => covers(prefixes, prefix)).map(({ name }) => name);
  if (covered.length === 0) return undefined;
  return `SEALPOST_TRUSTED_PROXIES trusts every ${covered.join(" and ")} address: anyone who reaches the service could claim any address, and no rate limit would hold. Name only the proxy's own address or network, like 127.0.0.1/32`;
}

/** IPv6 outside of 2000::/3 is not given out to anybody: who trusts that much trusts everybody. */
const spaces = [
  { name: "IPv4", prefix: "4:" },
  { name: "IPv6", prefix: "6:001" },
] as const;

/** Its family and leading bits. An IPv4 network written as IPv6 is the IPv4 one, as for the library that finds a client's address. */
function toPrefix({ address, bits }: Network): string {
  const parsed = ipaddr.parse(address);
  const isMapped = bits >= 96 && ipaddr.process(address).kind() !== parsed.kind();
  const bytes = isMapped ? ipaddr.process(address).toByteArray() : parsed.toByteArray();
  const text = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return `${bytes.length === 4 ? "4:" : "6:"}${text.slice(0, isMapped ? bits - 96 : bits)}`;
}

/** Whether the prefixes together hold everything that begins with `space`. */
function covers(prefixes: readonly string[], space: string): boolean {
  if (prefixes.some((prefix) => space.startsWith(prefix))) return true;
  const inside = prefixes.filter((prefix) => prefix.startsWith(space));
  return inside.length > 0 && covers(inside, `${space}0`) && covers(inside, `${space}1`);
}
