import { bech32 } from "@scure/base";
import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { identityToRecipient } from "age-encryption";
import type { Bytes } from "../age-header.ts";
import { listFormat } from "../list-entry.ts";
import { parseSignature } from "../signature.ts";
import { curveIdentityOf, findPersonalKey, type KeyName } from "./people.ts";

/** Keys, shares and signatures that some libraries refuse and others take. */

const prime = 2n ** 255n - 19n;
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

export function toBytes(number: bigint): Bytes {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((number >> BigInt(8 * index)) & 255n));
}

function fromBytes(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

const orderEightX25519 = {
  "of order 8": toBytes(0x00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n),
  "of order 8, the other": toBytes(0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn),
};
const orderEightEd25519 = {
  "of order 8": toBytes(0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n),
  "of order 8, the other": toBytes(0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n),
  "of order 8, with a sign": toBytes(0x85fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n),
};
const common = { zero: toBytes(0n), one: toBytes(1n), "minus one": toBytes(prime - 1n) };

export const unusableX25519: Readonly<Record<string, Bytes>> = {
  ...common,
  ...orderEightX25519,
  "spelt beyond the prime": toBytes(prime + 9n),
  "with the highest bit": toBytes(2n ** 255n + 9n),
};

/** Signing keys, base64url. */
export const unusableSigningKeys: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...common, ...orderEightEd25519, "spelt beyond the prime": toBytes(prime + 3n) }).map(
    ([name, bytes]) => [name, encodeBase64Url(bytes)],
  ),
);

/** Recipients that are well-formed texts. */
export async function unusableRecipients(): Promise<Readonly<Record<string, string>>> {
  const { recipient } = await findPersonalKey("hybrid reader");
  const key = bech32.fromWords(bech32.decode(recipient as `${string}1${string}`, false).words); // a recipient has one
  const hybrid = (offset: number, ...bytes: readonly number[]) => {
    const changed = Uint8Array.from(key);
    changed.set(bytes, offset);
    return bech32.encode("age1pq", bech32.toWords(changed), false);
  };
  const halves = Object.entries(unusableX25519).map(
    ([name, bytes]) => [`hybrid, its X25519 half ${name}`, hybrid(1184, ...bytes)] as const,
  );
  return {
    "of X25519": await identityToRecipient(await curveIdentityOf("reader")),
    ...Object.fromEntries(halves),
    "hybrid, its first number is 3329": hybrid(0, 0x01, 0x0d | ((key[1] ?? 0) & 0xf0)),
    "hybrid, its last number is 4095": hybrid(1150, 0xf0 | ((key[1150] ?? 0) & 15), 0xff),
  };
}

/** The entry with another signature by the same person, which solves the equation with a first half of small order. */
export async function signWithSmallOrder(lines: string, person: KeyName): Promise<string> {
  const { signingSeed, signingKey } = await findPersonalKey(person);
  const [line = ""] = lines.split("\n");
  const hash = async (...parts: readonly Uint8Array[]) =>
    new Uint8Array(await crypto.subtle.digest("SHA-512", Uint8Array.from(parts.flatMap((part) => [...part]))));
  const scalar = (await hash(decodeBase64Url(signingSeed) ?? new Uint8Array())).slice(0, 32);
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 63) | 64;
  const message = new TextEncoder().encode(`${listFormat}\n${line}`);
  const challenge = await hash(common.one, decodeBase64Url(signingKey) ?? new Uint8Array(), message);
  const second = toBytes((fromBytes(challenge) * fromBytes(scalar)) % groupOrder);
  return withSignature(line, new Uint8Array([...common.one, ...second]));
}

/** The entry with its signature's second half beyond the order of the group. */
export function signBeyondOrder(lines: string): string {
  const [line = "", signatureLine = ""] = lines.split("\n");
  const signature = parseSignature(signatureLine);
  const second = toBytes(fromBytes(signature.subarray(32)) + groupOrder);
  return withSignature(line, new Uint8Array([...signature.subarray(0, 32), ...second]));
}

function withSignature(line: string, signature: Uint8Array): string {
  return `${line}\n{"signature":"${encodeBase64Url(signature)}"}\n`;
}
