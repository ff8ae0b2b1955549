import {
  decodeBase64Url,
  encodeBase64Url,
  findNativeKem,
  type HybridPrivateKey,
  type Kem,
  type PrivateKey,
} from "@sealpost/wire";
import { importOpeningKey } from "@sealpost/wire/open";
import type { LabelledPrivateKey } from "./private-key.ts";

/**
 * A private key as short lines that people can type and cameras can read. All that is carried are the two primes (RSA,
 * e = 65537) and, where there are such, the hybrid key's `priv` and the version's seed: the rest follows from them. 20 bytes a line in Crockford's base 32, which has no letter that looks
 * like a digit, between the line's number and four characters of its checksum, so that a mistake is found in its line.
 */
export interface PaperKey {
  /** Such as `07 8W2K 3T9P … 5JQ1`. */
  readonly lines: readonly string[];
  /** For a QR code: capital letters and digits only, which such a code holds best. */
  readonly code: string;
}

/** Content of a sheet: `key` is the RSA key alone. */
export interface PaperKeyContent extends LabelledPrivateKey {
  readonly key: PrivateKey;
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const lineBytes = 20;
const checkCharacters = 4;
const codePrefix = "SEALPOST:KEY1:";
/** A key of 4,096 bits has 26. */
const linesMax = 99;
const primeBytesMax = 512;
/** By the first byte: which of the two follow the primes, 32 bytes each. */
const kinds = new Map([
  [1, { isHybrid: false, isSeeded: false }],
  [2, { isHybrid: true, isSeeded: false }],
  [3, { isHybrid: false, isSeeded: true }],
  [4, { isHybrid: true, isSeeded: true }],
]);
const partBytes = 32;

/** Has all of a version, its seed too: a sheet that lacked something would not open all submissions, or would lose replies. */
export async function toPaperKey(
  { p, q }: Pick<PrivateKey, "p" | "q">,
  hybridPrivateKey?: Pick<HybridPrivateKey, "priv">,
  seed?: string,
): Promise<PaperKey> {
  const primes = [p, q].map((prime) => decodeBase64Url(prime) ?? new Uint8Array());
  const parts = [hybridPrivateKey?.priv, seed].flatMap((part) =>
    part === undefined ? [] : [decodeBase64Url(part) ?? new Uint8Array()],
  );
  if (parts.some(({ length }) => length !== partBytes))
    throw new TypeError("Not a hybrid private key, or not the seed of a key version");
  const size = Math.max(...primes.map(({ length }) => length));
  const bytes = new Uint8Array(3 + 2 * size + parts.length * partBytes);
  bytes.set([1 + (hybridPrivateKey ? 1 : 0) + (seed === undefined ? 0 : 2), size >> 8, size & 255]);
  primes.forEach((prime, index) => {
    bytes.set(prime, 3 + (index + 1) * size - prime.length);
  });
  parts.forEach((part, index) => {
    bytes.set(part, 3 + 2 * size + index * partBytes);
  });
  return { lines: await formatLines(bytes), code: `${codePrefix}${encode(bytes)}${await checkOf(0, bytes)}` };
}

async function formatLines(bytes: Uint8Array): Promise<readonly string[]> {
  const parts = Array.from({ length: Math.ceil(bytes.length / lineBytes) }, (_, index) =>
    bytes.subarray(index * lineBytes, (index + 1) * lineBytes),
  );
  return Promise.all(
    parts.map(async (part, index) => {
      const groups = `${encode(part)}${await checkOf(index + 1, part)}`.match(/.{1,4}/g) ?? [];
      return `${String(index + 1).padStart(2, "0")} ${groups.join(" ")}`;
    }),
  );
}

/** Whether a text is meant as one of these, well copied or not: its first line begins with 01 or 1, and spaces don't matter. */
export function isPaperKey(text: string): boolean {
  return (
    text.trimStart().toUpperCase().startsWith(codePrefix) ||
    /^\s*(0?1[\s.:)-]+[0-9a-z]{2}|[0o][1il][0-9a-z -]{20,60}\r?($|\n))/i.test(text)
  );
}

/**
 * The key, or the sentence that says in which line the mistake is. Upper and lower case, spaces and hyphens don't matter. What is
 * returned as a key is what `parseOpeningKey` takes. A hybrid key is left out where neither the runtime nor `kem` knows such.
 */
export async function parsePaperKey(
  text: string,
  kem: Kem | undefined = findNativeKem(),
): Promise<PaperKeyContent | { readonly problem: string }> {
  const bytes = text.trimStart().toUpperCase().startsWith(codePrefix) ? await readCode(text) : await readLines(text);
  if (typeof bytes === "string") return { problem: bytes };
  const size = ((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0);
  const kind = kinds.get(bytes[0] ?? 0);
  if (kind === undefined) return { problem: "These lines are of a newer format than this version knows" };
  if (size === 0 || size > primeBytesMax || bytes.length !== lengthOf(bytes))
    return { problem: "These lines do not belong to one key" };
  const [p, q] = [bytes.subarray(3, 3 + size), bytes.subarray(3 + size, 3 + 2 * size)];
  const key = deriveKey(toInteger(p), toInteger(q));
  // Two numbers of which one is no prime have a key as well, which opens nothing.
  if (key === undefined || !(await opens(key))) return { problem: "These lines hold no key" };
  const end = 3 + 2 * size;
  const hybridPrivateKey = kind.isHybrid && kem && (await deriveHybridKey(bytes.slice(end, end + partBytes), kem));
  const seed = kind.isSeeded && encodeBase64Url(bytes.slice(-partBytes));
  return { key, privateKey: key, ...(hybridPrivateKey && { hybridPrivateKey }), ...(seed && { seed }) };
}

/** The number of bytes in all, which the first line says. */
function lengthOf(bytes: Uint8Array): number {
  const size = ((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0);
  const { isHybrid, isSeeded } = kinds.get(bytes[0] ?? 0) ?? { isHybrid: false, isSeeded: false };
  return 3 + 2 * size + (Number(isHybrid) + Number(isSeeded)) * partBytes;
}

const opens = (key: PrivateKey): Promise<boolean> =>
  importOpeningKey(key).then(
    () => true,
    () => false,
  );

async function deriveHybridKey(seed: Uint8Array<ArrayBuffer>, kem: Kem): Promise<HybridPrivateKey> {
  const pub = encodeBase64Url(await kem.publicKeyOf(seed));
  return { kty: "AKP", alg: "MLKEM768-X25519", pub, priv: encodeBase64Url(seed) };
}

async function readCode(text: string): Promise<Uint8Array | string> {
  const body = normalize(text.trimStart().slice(codePrefix.length));
  const bytes = decode(body.slice(0, -checkCharacters));
  const isWhole = bytes !== undefined && (await checkOf(0, bytes)) === body.slice(-checkCharacters);
  return isWhole ? bytes : "The code was not read completely: scan it again";
}

async function readLines(text: string): Promise<Uint8Array | string> {
  const parts = new Map<number, Uint8Array>();
  for (const line of text.split("\n").map(normalize)) {
    if (line === "") continue;
    const number = Number(line.slice(0, 2));
    if (!Number.isInteger(number) || number < 1 || number > linesMax)
      return `After line ${parts.size} comes one that does not begin with its number: ${String(parts.size + 1).padStart(2, "0")}`;
    const part = decode(line.slice(2, -checkCharacters));
    if (part === undefined || (await checkOf(number, part)) !== line.slice(-checkCharacters))
      return `There is a mistake in line ${number}: compare it with the sheet`;
    parts.set(number, part);
  }
  const first = parts.get(1);
  if (first === undefined) return "Line 1 is missing";
  const count = Math.ceil(lengthOf(first) / lineBytes);
  const ordered = Array.from({ length: Math.min(count, linesMax) }, (_, index) => parts.get(index + 1));
  const missing = ordered.flatMap((part, index) => (part === undefined ? [index + 1] : []));
  if (missing.length > 0)
    return missing.length === 1
      ? `Line ${missing[0]} is missing`
      : `${missing.length} lines are missing, the first is line ${missing[0]}`;
  return new Uint8Array(ordered.flatMap((part) => [...(part ?? [])]));
}

/** As the alphabet's author reads what people write: O is 0, I and L are 1. */
function normalize(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
}

function encode(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

function decode(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 255);
    }
  }
  return new Uint8Array(bytes);
}

/** The first 20 bits of SHA-256 over the line's number and its bytes; number 0 is all of them. */
async function checkOf(number: number, bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array([number, ...bytes]));
  return encode(new Uint8Array(digest).subarray(0, 3)).slice(0, checkCharacters);
}

const publicExponent = 65537n;

/** RFC 8017, section 3.2, and RFC 7518, section 6.3. `undefined` for what are no primes of a key. */
function deriveKey(p: bigint, q: bigint): PrivateKey | undefined {
  if (p < 3n || q < 3n || p === q) return undefined;
  const d = invert(publicExponent, (p - 1n) * (q - 1n));
  const qi = invert(q, p);
  if (d === undefined || qi === undefined) return undefined;
  const [n, dp, dq] = [p * q, d % (p - 1n), d % (q - 1n)];
  return {
    kty: "RSA",
    n: toText(n),
    e: "AQAB",
    d: toText(d),
    p: toText(p),
    q: toText(q),
    dp: toText(dp),
    dq: toText(dq),
    qi: toText(qi),
  };
}

/** The inverse by Euclid's extended algorithm; `undefined` where there is none. */
function invert(value: bigint, modulus: bigint): bigint | undefined {
  let [previous, current] = [modulus, value % modulus];
  let [coefficient, next] = [0n, 1n];
  while (current !== 0n) {
    const quotient = previous / current;
    [previous, current] = [current, previous - quotient * current];
    [coefficient, next] = [next, coefficient - quotient * next];
  }
  return previous === 1n ? ((coefficient % modulus) + modulus) % modulus : undefined;
}

function toInteger(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function toText(value: bigint): string {
  const hex = value.toString(16);
  const pairs = (hex.length % 2 === 0 ? hex : `0${hex}`).match(/../g) ?? [];
  return encodeBase64Url(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}
