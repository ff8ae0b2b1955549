import { encodeBase64 } from "./base64.ts";
import { type PublicKey, rsaAlgorithm } from "./keys.ts";
import { additionalData, type Binding, type Fields, type SealedPayload, sealedVersion } from "./payload.ts";
import { encodeFields } from "./plaintext.ts";

/**
 * Seals `fields` to the owner of `publicKey`, bound to a form, key version and submission (SPECIFICATION.md).
 * Halves of surrogate pairs become U+FFFD. Rejects with a TypeError when the fields are nested more than 64 levels deep.
 * Each call uses a fresh 32-byte content key and a fresh 12-byte iv, so sealing the same fields twice differs throughout.
 */
export function seal(fields: Fields, binding: Binding, publicKey: PublicKey): Promise<SealedPayload> {
  return sealWith((length) => crypto.getRandomValues(new Uint8Array(length)), fields, binding, publicKey);
}

/** `seal` with another source of randomness, for test vectors. The package does not export it: a reused iv breaks AES-GCM. */
export async function sealWith(
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>,
  fields: Fields,
  binding: Binding,
  { kty, n, e }: PublicKey,
): Promise<SealedPayload> {
  const plaintext = encodeFields(fields);
  const contentKey = randomBytes(32);
  const iv = randomBytes(12);
  const rsa = await crypto.subtle.importKey("jwk", { kty, n, e }, rsaAlgorithm, false, ["encrypt"]);
  const [data, key] = await Promise.all([
    encryptFields(plaintext, contentKey, iv, additionalData(binding)),
    crypto.subtle.encrypt(rsaAlgorithm, rsa, contentKey),
  ]);
  return {
    encrypted: true,
    version: sealedVersion,
    data,
    key: encodeBase64(new Uint8Array(key)),
    iv: encodeBase64(iv),
  };
}

/** `data` of a payload. */
export async function encryptFields(
  plaintext: Uint8Array<ArrayBuffer>,
  contentKey: Uint8Array<ArrayBuffer>,
  iv: Uint8Array<ArrayBuffer>,
  bound: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const aes = await crypto.subtle.importKey("raw", contentKey, "AES-GCM", false, ["encrypt"]);
  const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bound }, aes, plaintext);
  return encodeBase64(new Uint8Array(data));
}
