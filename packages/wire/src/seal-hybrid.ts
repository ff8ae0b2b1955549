import { type Bytes, drawBytes } from "./bytes.ts";
import { encryptCommitted } from "./committed.ts";
import { sealToHybrid } from "./hpke.ts";
import { decodePublicKey, type HybridPublicKey } from "./hybrid-keys.ts";
import { type Encapsulator, requireNativeKem } from "./kem.ts";
import { type Binding, type Fields, hybridVersion, type SealedPayload } from "./payload.ts";
import { toSealable } from "./plaintext.ts";
import { type RandomBytes, sealContent } from "./seal.ts";

/**
 * `seal` to a hybrid key: what is recorded today stays sealed even when RSA and elliptic curves have fallen to a quantum
 * computer. Rejects with a TypeError also when the key is malformed. `kem` is for runtimes without one of their own.
 */
export async function sealHybrid(
  fields: Fields,
  binding: Binding,
  publicKey: HybridPublicKey,
  kem: Encapsulator = requireNativeKem(),
): Promise<SealedPayload<typeof hybridVersion>> {
  const sealable = toSealable(fields);
  if (decodePublicKey(publicKey.pub) === undefined) throw new TypeError("Not a hybrid key");
  return sealHybridWith(drawBytes, sealable, binding, publicKey, kem);
}

/**
 * The same for a page's script, which brings the runtime's encapsulation or another and loads no sentence about a missing one; its fields
 * are as those of `sealFlat`, and its key is one that `isHybridPublicKey` takes.
 */
export function sealByEncapsulator(
  encapsulator: Encapsulator,
  fields: Fields,
  binding: Binding,
  publicKey: HybridPublicKey,
): Promise<SealedPayload<typeof hybridVersion>> {
  return sealHybridWith(drawBytes, fields, binding, publicKey, encapsulator);
}

/** `sealHybrid` with another source of randomness, for test vectors; the package does not export it. */
export async function sealHybridWith(
  randomBytes: RandomBytes,
  fields: Fields,
  binding: Binding,
  publicKey: HybridPublicKey,
  kem: Encapsulator,
): Promise<SealedPayload<typeof hybridVersion>> {
  const recipient = decodePublicKey(publicKey.pub) as Bytes; // looked at by the callers; no encapsulation takes `undefined`
  return sealContent(
    hybridVersion,
    randomBytes,
    fields,
    binding,
    (contentKey, bound) => sealToHybrid(kem, recipient, bound, contentKey),
    encryptCommitted,
  );
}
