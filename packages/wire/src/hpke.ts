import { decryptGcm, encryptGcm } from "./aes-gcm.ts";
import { type Bytes, encodeText } from "./bytes.ts";
import { type DecapsulationKey, type Encapsulator, encapsulatedBytes, type Kem } from "./kem.ts";

/**
 * HPKE (RFC 9180), base mode, one message: KEM MLKEM768-X25519 (0x647a), HKDF-SHA256 (0x0001), AES-256-GCM (0x0002), empty
 * `aad`. Only what `sp2` needs, so that a page loads little.
 */
const suite = "HPKE\x64\x7a\x00\x01\x00\x02";

/** No platform imports an empty key for HMAC; RFC 2104 fills keys up with zeros, so that one of zeros is the same. */
const noSalt = new Uint8Array(32);
const baseMode = "\x00";

/** The encapsulated secret, 1,120 bytes, followed by the ciphertext with its tag. */
export async function sealToHybrid(kem: Encapsulator, publicKey: Bytes, info: Bytes, plaintext: Bytes): Promise<Bytes> {
  const { sharedSecret, encapsulated } = await kem.encapsulate(publicKey);
  const { key, iv } = await deriveKey(sharedSecret, info);
  return concatenate(encapsulated, await encryptGcm(key, iv, plaintext));
}

/** The plaintext that `sealToHybrid` sealed. Rejects when it was changed, or sealed to another key or under another `info`. */
export async function openWithHybrid(kem: Kem, key: DecapsulationKey, info: Bytes, sealed: Bytes): Promise<Bytes> {
  const sharedSecret = await kem.decapsulate(key, sealed.slice(0, encapsulatedBytes));
  const { key: derived, iv } = await deriveKey(sharedSecret, info);
  return decryptGcm(derived, iv, sealed.slice(encapsulatedBytes));
}

/** KeySchedule of RFC 9180 section 5.1 in base mode, for its first and only message. */
async function deriveKey(sharedSecret: Bytes, info: Bytes): Promise<{ readonly key: Bytes; readonly iv: Bytes }> {
  const context = concatenate(
    baseMode,
    await derive(noSalt, "psk_id_hash", ""),
    await derive(noSalt, "info_hash", info),
  );
  const secret = await derive(sharedSecret, "secret", "");
  return { key: await derive(secret, "key", context, 32), iv: await derive(secret, "base_nonce", context, 12) };
}

/**
 * LabeledExtract of RFC 9180 section 4, which is HMAC-SHA-256; with a length of at most 32 bytes LabeledExpand, which is one round of
 * HKDF-Expand: the same between the length, in two bytes, and the number of the round.
 */
async function derive(secret: Bytes, label: string, material: string | Bytes, length?: number): Promise<Bytes> {
  const [before, after] = length ? [`\x00${String.fromCharCode(length)}`, "\x01"] : ["", ""];
  const message = concatenate(`${before}HPKE-v1${suite}${label}`, material, after);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message)).slice(0, length);
}

/** Short texts of characters below 128, and bytes, one after the other. By way of a list of numbers: a page loads less for it. */
function concatenate(...parts: readonly (string | Bytes)[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? encodeText(part) : part)]));
}
