import { encryptGcm } from "./aes-gcm.ts";
import { type Bytes, encodeText, ownParameters } from "./bytes.ts";
import { hkdf } from "./hkdf.ts";
import type { Encapsulator } from "./kem.ts";

/**
 * HPKE (RFC 9180), base mode, one message: KEM MLKEM768-X25519 (0x647a), HKDF-SHA256 (0x0001), AES-256-GCM (0x0002), empty
 * `aad`. Only what `sp2` needs, and here only sealing, so that a page loads little; `open-hpke.ts` opens.
 */
export const prefix = encodeText("HPKE-v1HPKE\x64\x7a\x00\x01\x00\x02");

/** The encapsulated secret, 1,120 bytes, followed by the ciphertext with its tag. */
export async function sealToHybrid(kem: Encapsulator, publicKey: Bytes, info: Bytes, plaintext: Bytes): Promise<Bytes> {
  const { sharedSecret, encapsulated } = await kem.encapsulate(publicKey);
  const [key, iv] = await deriveKey(sharedSecret, info);
  return concatenate(encapsulated, await encryptGcm(key, iv, plaintext));
}

/**
 * KeySchedule of RFC 9180 section 5.1 in base mode (0), for its first and only message. LabeledExtract of the shared secret and
 * LabeledExpand of the result (section 4) are HKDF whose salt is the shared secret: one call for each, instead of six of HMAC.
 */
async function deriveKey(salt: Bytes, info: Bytes): Promise<readonly [key: ArrayBuffer, iv: ArrayBuffer]> {
  const context = concatenate([0], await extract("psk_id_hash", []), await extract("info_hash", info));
  const labelled = (label: string, length: number) =>
    [concatenate([0, length], prefix, encodeText(label), context), length] as const;
  return hkdf(concatenate(prefix, encodeText("secret")), salt, labelled("key", 32), labelled("base_nonce", 12));
}

/**
 * LabeledExtract without a salt, which is HMAC-SHA-256. No platform imports an empty key for it; RFC 2104 fills keys up with zeros,
 * so that one of zeros is the same.
 */
async function extract(label: string, material: ArrayLike<number>): Promise<ArrayBuffer> {
  const algorithm = ownParameters({ name: "HMAC", hash: "SHA-256" });
  const key = await crypto.subtle.importKey("raw", new Uint8Array(32), algorithm, false, ["sign"]);
  return crypto.subtle.sign("HMAC", key, concatenate(prefix, encodeText(label), material));
}

/** Bytes, one after the other. By way of a list of numbers, which costs 0.1 ms for 4 KiB: a page loads less for it. */
export function concatenate(...parts: readonly (ArrayLike<number> | ArrayBuffer)[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...new Uint8Array(part)]));
}
