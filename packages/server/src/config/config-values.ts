import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A network as an address and the number of its leading bits. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

export function parseInteger(text: string, max: number): number | undefined {
  return /^[0-9]{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

/** A whole number in these bounds, times `unit`. */
export function parseIntegerFrom(text: string, min: number, max: number, unit: number): number | undefined {
  const value = parseInteger(text, max);
  return value === undefined || value < min ? undefined : value * unit;
}

const units: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

export function parseBytes(text: string): number | undefined {
  const [, digits, unit = ""] = /^([0-9]{1,15}) ?(?:([kmgt])(?:i?b)?)?$/i.exec(text) ?? [];
  const bytes = Number(digits) * (units[unit.toLowerCase()] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

export function parseHost(text: string): string | undefined {
  return isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(text) ? text : undefined;
}

export function parseBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain =
    url !== undefined &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "";
  return plain && url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : undefined;
}

/** Secrets of the service, the newest first, on lines of their own or with commas between. */
export function parseSecrets(text: string): readonly Uint8Array[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  const secrets = parts.map(parseSecret).filter((secret) => secret !== undefined);
  const isEach = secrets.length === parts.length && new Set(parts).size === parts.length;
  return isEach && parts.length >= 1 && parts.length <= secretsMax ? secrets : undefined;
}

/** A rotation needs two; a third is there when another begins before the first is dropped. */
const secretsMax = 8;

function parseSecret(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length >= 32 ? bytes : undefined;
}

export function parseToken(text: string): string | undefined {
  return /^[\x21-\x7e]{20,}$/.test(text) ? text : undefined;
}

export function parseNetworks(text: string): Network[] | undefined {
  const networks: Network[] = [];
  for (const part of text.split(",")) {
    const cidr = part.trim();
    // Strict forms only: the library would also take 127.1 for an address.
    const strict = ipaddr.IPv4.isValidFourPartDecimal(cidr.split("/")[0] ?? "") || cidr.includes(":");
    if (!strict || !ipaddr.isValidCIDR(cidr)) return undefined;
    const [address, bits] = ipaddr.parseCIDR(cidr);
    networks.push({ address: address.toString(), bits });
  }
  return networks;
}

/** Whether a host name, or the host of a `Host` header without its port, is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.[0-9]{1,3}){3}$/.test(host);
}
