import { decryptGcm, encryptGcm } from "./aes-gcm.ts";
import type { Bytes } from "./bytes.ts";
import { hkdf } from "./hkdf.ts";

/**
 * AES-GCM commits to no key: somebody who chooses two keys can make one ciphertext that opens under both, with two contents. So the key
 * encrypts nothing itself. HKDF makes a cipher key of it, and a commitment, a hash of the key and its place, which comes first in what is
 * sealed. SPECIFICATION.md sections 3 and 13.
 */
export const commitmentBytes = 32;

/** The commitment, the ciphertext and its 16-byte tag. A key and an iv for one message only. */
export async function encryptCommitted(key: Bytes, iv: Bytes, plaintext: Bytes, bound: Bytes): Promise<Bytes> {
  const [derived] = await hkdf(key, iv, [bound, 64]);
  const ciphertext = await encryptGcm(derived.slice(0, 32), iv, plaintext, bound);
  // Not by way of a list of numbers, as in hpke.ts, which takes a quarter of a second for 1 MiB.
  return new Uint8Array(await new Blob([derived.slice(32), ciphertext]).arrayBuffer());
}

/** The plaintext of `encryptCommitted`. Rejects when anything was changed, or sealed under another key. */
export async function decryptCommitted(key: Bytes, iv: Bytes, sealed: Bytes, bound: Bytes): Promise<Bytes> {
  const { cipherKey, commitment } = await deriveCommitted(key, iv, bound);
  if (!isCommitment(sealed.subarray(0, commitmentBytes), commitment)) throw new Error("another content");
  return decryptGcm(cipherKey, iv, sealed.subarray(commitmentBytes), bound);
}

/** The two keys that follow from a key in its place. */
export async function deriveCommitted(
  key: Bytes,
  salt: Bytes,
  bound: Bytes,
): Promise<{ readonly cipherKey: Bytes; readonly commitment: Bytes }> {
  const [derived] = await hkdf(key, salt, [bound, 64]);
  return { cipherKey: new Uint8Array(derived, 0, 32), commitment: new Uint8Array(derived, 32) };
}

/** Whether `claimed` is the commitment, in a time that does not depend on where they differ. */
export function isCommitment(claimed: Uint8Array, commitment: Uint8Array): boolean {
  let differences = claimed.length ^ commitment.length;
  for (const [index, byte] of commitment.entries()) differences |= byte ^ (claimed[index] ?? 0);
  return differences === 0;
}
