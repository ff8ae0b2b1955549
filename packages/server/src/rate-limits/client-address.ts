import ipaddr from "ipaddr.js";

/** How wide a network is that counts as one: what one address is, a site, an organization, or a provider and its customers. */
export type Width = "address" | "site" | "organization" | "provider";

/** A network that a client is in, in a text of its own. */
export interface ClientNetwork {
  readonly width: Width;
  readonly text: string;
}

/** How many times the bound of one address a network has. */
export type Shares = Readonly<Record<Width, number>>;

/** For requests: carriers, universities and offices have many people who send some in the same minute. */
export const requestShares: Shares = { address: 1, site: 4, organization: 16, provider: 64 };
/** For room, of which each person needs little. */
export const spaceShares: Shares = { address: 1, site: 2, organization: 4, provider: 16 };

/** RFC 6052, section 2.1; RFC 7915 writes the translated address of a host in the second. */
const translated = [ipaddr.IPv6.parse("64:ff9b::"), ipaddr.IPv6.parse("::ffff:0:0:0")] as const;

/**
 * The networks of an address, the narrowest first. Of IPv4 that is the address and its /24. Of IPv6 it is the /64, because a household or a rented
 * server gets that many addresses at least, and the /56, /48 and /32: anyone rents a /48 for nothing, which has 65,536 of the first. A bound that
 * counts the narrowest alone binds nobody there. An IPv4 address written as IPv6, or translated from it (NAT64, SIIT), is the IPv4 one. Some
 * proxies write the client's port into `X-Forwarded-For`, which is another one for each connection: it is left out. All text that is no
 * address counts as one client, so that no spelling is a way around the limits. A connection that was reset has no address any more, though Fastify's
 * type says that each request has one.
 */
export function toClientNetworks(address: string | undefined): readonly [ClientNetwork, ...ClientNetwork[]] {
  const text = address === undefined ? "" : readAddress(address);
  if (text === undefined || text === "") return [{ width: "address", text: text ?? "unknown" }];
  const bytes = toBytes(text);
  const cut = (count: number) => bytes.slice(0, count).join(".");
  if (bytes.length === 4)
    return [
      { width: "address", text: cut(4) },
      { width: "organization", text: `${cut(3)}/24` },
    ];
  return [
    { width: "address", text: cut(8) },
    { width: "site", text: `${cut(7)}/56` },
    { width: "organization", text: `${cut(6)}/48` },
    { width: "provider", text: `${cut(4)}/32` },
  ];
}

/** The narrowest of them: what counts as one client. */
export function toClientNetwork(address: string | undefined): string {
  return toClientNetworks(address)[0].text;
}

/** Each with its share of room, to compare what networks of several widths hold. */
export function toSharedNetworks(
  address: string | undefined,
): readonly { readonly text: string; readonly share: number }[] {
  return toClientNetworks(address).map(({ width, text }) => ({ text, share: spaceShares[width] }));
}

/** The texts of all of them, the widest first: the levels at which visitors share a line. */
export function toNestedNetworks(address: string | undefined): readonly string[] {
  return toClientNetworks(address)
    .map(({ text }) => text)
    .toReversed();
}

/** The widest of them. */
export function toWidestNetwork(address: string | undefined): string {
  const networks = toClientNetworks(address);
  return (networks.at(-1) ?? networks[0]).text;
}

function toBytes(text: string): readonly number[] {
  const parsed = ipaddr.process(text);
  const bytes = parsed.toByteArray();
  const isTranslated = translated.some((prefix) => parsed instanceof ipaddr.IPv6 && parsed.match(prefix, 96));
  return isTranslated ? bytes.slice(12) : bytes;
}

/** The address alone, without a port, brackets and the interface of a link-local one; `undefined` for text that has none. */
export function readAddress(text: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? plain ?? text.trim()).split("%")[0] ?? "";
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : undefined;
}
