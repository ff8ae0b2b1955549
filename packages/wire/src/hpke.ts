import { type Bytes, concatenate } from "./bytes.ts";
import { type DecapsulationKey, encapsulatedBytes, type Kem } from "./kem.ts";

/**
 * HPKE (RFC 9180), base mode, one message: KEM MLKEM768-X25519 (0x647a), HKDF-SHA256 (0x0001), AES-256-GCM (0x0002), empty
 * `aad`. Only what `sp2` needs, so that a page loads little.
 */
const suite = Uint8Array.of(...ascii("HPKE"), 0x64, 0x7a, 0x00, 0x01, 0x00, 0x02);

/** The encapsulated secret, 1,120 bytes, followed by the ciphertext with its tag. */
export async function sealToHybrid(kem: Kem, publicKey: Bytes, info: Bytes, plaintext: Bytes): Promise<Bytes> {
  const { sharedSecret, encapsulated } = await kem.encapsulate(publicKey);
  const { key, iv } = await deriveKey(sharedSecret, info, "encrypt");
  const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plaintext);
  return concatenate(encapsulated, new Uint8Array(ciphertext));
}

/** The plaintext that `sealToHybrid` sealed. Rejects when it was changed, or sealed to another key or under another `info`. */
export async function openWithHybrid(kem: Kem, key: DecapsulationKey, info: Bytes, sealed: Bytes): Promise<Bytes> {
  const sharedSecret = await kem.decapsulate(key, sealed.slice(0, encapsulatedBytes));
  const derived = await deriveKey(sharedSecret, info, "decrypt");
  const ciphertext = sealed.slice(encapsulatedBytes);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: derived.iv }, derived.key, ciphertext));
}

/** KeySchedule of RFC 9180 section 5.1 in base mode, for its first and only message. */
async function deriveKey(
  sharedSecret: Bytes,
  info: Bytes,
  usage: "encrypt" | "decrypt",
): Promise<{ readonly key: CryptoKey; readonly iv: Bytes }> {
  const nothing = new Uint8Array();
  const baseMode = Uint8Array.of(0);
  const context = concatenate(
    baseMode,
    await extract(nothing, "psk_id_hash", nothing),
    await extract(nothing, "info_hash", info),
  );
  const secret = await extract(sharedSecret, "secret", nothing);
  const key = await crypto.subtle.importKey("raw", await expand(secret, "key", context, 32), "AES-GCM", false, [usage]);
  return { key, iv: await expand(secret, "base_nonce", context, 12) };
}

/** LabeledExtract of RFC 9180 section 4. */
function extract(salt: Bytes, label: string, material: Bytes): Promise<Bytes> {
  return authenticate(salt, concatenate(ascii("HPKE-v1"), suite, ascii(label), material));
}

/** LabeledExpand of RFC 9180 section 4, of at most 32 bytes: one round of HKDF-Expand. */
async function expand(secret: Bytes, label: string, info: Bytes, length: number): Promise<Bytes> {
  const labelled = concatenate(Uint8Array.of(0, length), ascii("HPKE-v1"), suite, ascii(label), info);
  return (await authenticate(secret, concatenate(labelled, Uint8Array.of(1)))).slice(0, length);
}

/** HMAC-SHA-256. No platform imports an empty key; RFC 2104 fills keys up with zeros, so that one of zeros is the same. */
async function authenticate(key: Bytes, message: Bytes): Promise<Bytes> {
  const bytes = key.length === 0 ? new Uint8Array(32) : key;
  const hmac = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", hmac, message));
}

function ascii(text: string): Bytes {
  return new TextEncoder().encode(text);
}
