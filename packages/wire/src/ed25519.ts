import { ownParameters } from "./bytes.ts";

/** Steps 2 to 4 of verifying (SPECIFICATION.md, section 23), by a library: a key of 32 bytes, a signature of 64, and any number of bytes. */
export type VerifyEd25519 = (
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
) => Promise<boolean>;

const prime = 2n ** 255n - 19n;
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The y-coordinates of the points whose order divides 8, up to the half of the prime: those above are the prime less one of these. */
const smallOrder = [0n, 1n, 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n];

/** Whether 32 bytes are usable as a public key, or as the first half of a signature: libraries differ about all others. */
export function isUsableEd25519(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) % 2n ** 255n;
  return bytes.length === 32 && y < prime && !smallOrder.includes(y < prime - y ? y : prime - y);
}

/**
 * Whether `signature` is that of `data`: the one equation of SPECIFICATION.md, section 23. What libraries answer in different ways is refused before
 * one is asked.
 */
export async function verifyEd25519(
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
  verify: VerifyEd25519 = verifyNatively,
): Promise<boolean> {
  return (
    signature.length === 64 &&
    isUsableEd25519(publicKey) &&
    isUsableEd25519(signature.subarray(0, 32)) &&
    littleEndian(signature.subarray(32)) < groupOrder &&
    verify(publicKey, signature, data)
  );
}

/** The platform's own: OpenSSL, BoringSSL and NSS have the same equation, and were tried with vectors/ed25519.json, or read. */
const verifyNatively: VerifyEd25519 = async (publicKey, signature, data) => {
  const algorithm = ownParameters({ name: "Ed25519" });
  // A key that is not on the curve can't be imported everywhere.
  const key = await crypto.subtle.importKey("raw", publicKey, algorithm, false, ["verify"]).catch(() => undefined);
  return key !== undefined && crypto.subtle.verify(algorithm, key, signature, data);
};

/** The number that these bytes are, the lowest first. */
export function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
}
