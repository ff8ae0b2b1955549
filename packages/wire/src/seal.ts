import { encryptGcm } from "./aes-gcm.ts";
import { encodeBase64 } from "./base64.ts";
import { type Bytes, drawBytes, ownParameters } from "./bytes.ts";
import { type PublicKey, rsaAlgorithm } from "./keys.ts";
import {
  additionalData,
  type Binding,
  type Fields,
  type SealedPayload,
  type SealedVersion,
  sealedVersion,
} from "./payload.ts";
import { encodeFields, toSealable } from "./plaintext.ts";

/**
 * Seals `fields`, as `JSON.stringify` writes them, to the owner of `publicKey`, bound to a form, key version and submission
 * (SPECIFICATION.md).
 * Halves of surrogate pairs become U+FFFD. Rejects with a TypeError for fields that are nested more than 64 levels deep
 * or hold a number that is not finite, and for names of ours: `$sealpost…`, and a value whose one member begins with `$` (but a
 * file's).
 * Each call uses a fresh 32-byte content key and a fresh 12-byte iv, so sealing the same fields twice differs throughout.
 */
export async function seal(fields: Fields, binding: Binding, publicKey: PublicKey): Promise<SealedPayload> {
  return sealWith(drawBytes, toSealable(fields), binding, publicKey);
}

/**
 * The same for a page's script, whose fields are texts and lists of texts, and have no names of ours: nothing looks for what they
 * can't have.
 */
export function sealFlat(fields: Fields, binding: Binding, publicKey: PublicKey): Promise<SealedPayload> {
  return sealWith(drawBytes, fields, binding, publicKey);
}

/** `seal` with another source of randomness, for test vectors. The package does not export it: a reused iv breaks AES-GCM. */
export function sealWith(
  randomBytes: RandomBytes,
  fields: Fields,
  binding: Binding,
  { kty, n, e }: PublicKey,
): Promise<SealedPayload> {
  return sealContent(sealedVersion, randomBytes, fields, binding, async (contentKey) => {
    const algorithm = ownParameters(rsaAlgorithm);
    const rsa = await crypto.subtle.importKey("jwk", ownParameters({ kty, n, e }), algorithm, false, ["encrypt"]);
    return new Uint8Array(await crypto.subtle.encrypt(algorithm, rsa, contentKey));
  });
}

export type RandomBytes = (length: number) => Bytes;

/**
 * A payload whose content key is sealed by `sealKey`, which may bind it to `bound`, and its plaintext by `encrypt`: all that the versions
 * have in common.
 */
export async function sealContent<Version extends SealedVersion>(
  version: Version,
  randomBytes: RandomBytes,
  fields: Fields,
  binding: Binding,
  sealKey: (contentKey: Bytes, bound: Bytes) => Promise<Bytes>,
  encrypt: (contentKey: Bytes, iv: Bytes, plaintext: Bytes, bound: Bytes) => Promise<Bytes> = encryptGcm,
): Promise<SealedPayload<Version>> {
  const plaintext = encodeFields(fields);
  const contentKey = randomBytes(32);
  const iv = randomBytes(12);
  const bound = additionalData(binding, version);
  const [data, key] = await Promise.all([
    encrypt(contentKey, iv, plaintext, bound).then(encodeBase64),
    sealKey(contentKey, bound).then(encodeBase64),
  ]);
  return { encrypted: true, version, data, key, iv: encodeBase64(iv) };
}
