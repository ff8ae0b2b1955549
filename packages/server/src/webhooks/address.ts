import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Network } from "../config/config-values.ts";

/**
 * Whether webhooks may be sent to this IP address: public unicast, or inside one of the networks that the operator opened.
 * Decided on bytes, never on text, because one address has many spellings; text that is not an address is not allowed. IPv4 and
 * IPv6 never match each other: opening 127.0.0.0/8 does not open ::ffff:127.0.0.1.
 */
export function createAddressRule(opened: readonly Network[]): (address: string) => boolean {
  const openedRanges = opened.map(({ address, bits }) => range(`${address}/${bits}`));
  const isOpened = (bytes: Bytes) => openedRanges.some((network) => matches(bytes, network));

  function isAllowed(bytes: Bytes): boolean {
    // An operator with DNS64 opens 64:ff9b::/96; the IPv4 address that is really reached must still stand on its own.
    if (matches(bytes, nat64)) return isOpened(bytes) && isAllowed(bytes.slice(12));
    return isOpened(bytes) || isPublicUnicast(bytes);
  }
  return (address) => {
    const bytes = addressBytes(address);
    return bytes !== undefined && isAllowed(bytes);
  };
}

/** Whether two texts spell the same address. */
export function isSameAddress(left: string, right: string): boolean {
  return addressBytes(left)?.join() === addressBytes(right)?.join() && addressBytes(left) !== undefined;
}

type Bytes = readonly number[];

/** The 4 or 16 bytes of an address in a strict form (no zone, no `127.1`), or `undefined`. */
function addressBytes(address: string): Bytes | undefined {
  // The library alone would take "127.1" and "1" for addresses; `isIP` alone would take a zone.
  return isIP(address) === 0 || address.includes("%") ? undefined : ipaddr.parse(address).toByteArray();
}

interface Range {
  readonly bytes: Bytes;
  readonly bits: number;
}

function range(cidr: string): Range {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  return { bytes: address.toByteArray(), bits };
}

/** IPv4 that is not public unicast (IANA special-purpose registry, RFC 6890 and later), and 168.63.129.16 (Azure's platform). */
const forbiddenIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(range);

/** The only IPv6 unicast space that is given out, and what inside it is special or carries an IPv4 address. */
const globalUnicastIpv6 = range("2000::/3");
const forbiddenIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(range);
const nat64 = range("64:ff9b::/96");
/** Interface identifiers of ISATAP (RFC 5214 section 6.1), which carry an IPv4 address after any prefix. */
const isatap: readonly Bytes[] = [
  [0x00, 0x00, 0x5e, 0xfe],
  [0x02, 0x00, 0x5e, 0xfe],
];

function isPublicUnicast(bytes: Bytes): boolean {
  if (bytes.length === 4) return !forbiddenIpv4.some((forbidden) => matches(bytes, forbidden));
  return (
    matches(bytes, globalUnicastIpv6) &&
    !forbiddenIpv6.some((forbidden) => matches(bytes, forbidden)) &&
    !isatap.some((identifier) => matches(bytes.slice(8, 12), { bytes: identifier, bits: 32 }))
  );
}

function matches(bytes: Bytes, { bytes: network, bits }: Range): boolean {
  if (bytes.length !== network.length) return false;
  for (let index = 0; index * 8 < bits; index++) {
    const mask = bits >= index * 8 + 8 ? 0xff : (0xff << (index * 8 + 8 - bits)) & 0xff;
    if (((bytes[index] ?? 0) & mask) !== ((network[index] ?? 0) & mask)) return false;
  }
  return true;
}
