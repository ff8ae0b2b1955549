import { encodeBase64 } from "./base64.ts";
import { sealToHybrid } from "./hpke.ts";
import { decodePublicKey, type HybridPublicKey } from "./hybrid-keys.ts";
import { type Kem, requireNativeKem } from "./kem.ts";
import { additionalData, type Binding, type Fields, hybridVersion, type SealedPayload } from "./payload.ts";
import { encodeFields } from "./plaintext.ts";
import { encryptFields } from "./seal.ts";

/**
 * `seal` to a hybrid key: what is recorded today stays sealed even when RSA and elliptic curves have fallen to a quantum
 * computer. Rejects with a TypeError also when the key is malformed. `kem` is for runtimes without one of their own.
 */
export function sealHybrid(
  fields: Fields,
  binding: Binding,
  publicKey: HybridPublicKey,
  kem: Kem = requireNativeKem(),
): Promise<SealedPayload<typeof hybridVersion>> {
  return sealHybridWith((length) => crypto.getRandomValues(new Uint8Array(length)), fields, binding, publicKey, kem);
}

/** `sealHybrid` with another source of randomness, for test vectors; the package does not export it. */
export async function sealHybridWith(
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>,
  fields: Fields,
  binding: Binding,
  publicKey: HybridPublicKey,
  kem: Kem,
): Promise<SealedPayload<typeof hybridVersion>> {
  const recipient = decodePublicKey(publicKey);
  if (recipient === undefined) throw new TypeError("Not a hybrid public key");
  const plaintext = encodeFields(fields);
  const contentKey = randomBytes(32);
  const iv = randomBytes(12);
  const bound = additionalData(binding, hybridVersion);
  const [data, key] = await Promise.all([
    encryptFields(plaintext, contentKey, iv, bound),
    sealToHybrid(kem, recipient, bound, contentKey),
  ]);
  return { encrypted: true, version: hybridVersion, data, key: encodeBase64(key), iv: encodeBase64(iv) };
}
