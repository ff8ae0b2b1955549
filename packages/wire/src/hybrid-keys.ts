import { decodeShortBase64Url, encodeBase64Url } from "./base64.ts";
import { type Bytes, drawBytes } from "./bytes.ts";
import { type Kem, kemName, kemPublicKeyBytes, requireNativeKem, seedBytes } from "./kem.ts";
import { thumbprint } from "./thumbprint.ts";

/** A hybrid public key as JWK (kty AKP: draft-ietf-cose-dilithium), exactly these members; `pub` is base64url of 1,216 bytes. */
export interface HybridPublicKey {
  readonly kty: "AKP";
  readonly alg: typeof kemName;
  readonly pub: string;
}

/** The same with the private key's seed, `priv`: base64url of 32 bytes. */
export interface HybridPrivateKey extends HybridPublicKey {
  readonly priv: string;
}

export interface HybridKeyPair {
  readonly publicKey: HybridPublicKey;
  readonly privateKey: HybridPrivateKey;
}

/** A fresh hybrid pair. */
export async function generateHybridKeyPair(kem: Kem = requireNativeKem()): Promise<HybridKeyPair> {
  const seed = drawBytes(seedBytes);
  const publicKey = { kty: "AKP", alg: kemName, pub: encodeBase64Url(await kem.publicKeyOf(seed)) } as const;
  return { publicKey, privateKey: { ...publicKey, priv: encodeBase64Url(seed) } };
}

/** The RFC 7638 thumbprint (SHA-256, base64url, 43 characters) of the public half. SPECIFICATION.md section 2. */
export function hybridFingerprint({ pub }: Pick<HybridPublicKey, "pub">): Promise<string> {
  return thumbprint({ alg: kemName, kty: "AKP", pub });
}

/** Whether `value` is a hybrid public key that may be used: what `parseHybridPublicKey` accepts. */
export function isHybridPublicKey(value: unknown): value is HybridPublicKey {
  const { kty, alg, pub } = Object(value) as Record<string, unknown>; // each member is checked below
  return (
    kty === "AKP" &&
    alg === kemName &&
    typeof pub === "string" &&
    decodePublicKey(pub) !== undefined &&
    Object.keys(Object(value)).length === 3
  );
}

/** The hybrid public key in `value`, a copy, or the sentence that says what is wrong with it. */
export function parseHybridPublicKey(value: unknown): HybridPublicKey | string {
  if (typeof value !== "object" || value === null) return "Must be a hybrid public key as JWK";
  const { kty, alg, pub, ...others } = value as Record<string, unknown>; // an object; each member is checked below
  if (Object.hasOwn(others, "priv"))
    return "Must be the public key only: this one contains its private member, keep it to yourself";
  if (Object.keys(others).length > 0) return "Must have exactly the members kty, alg and pub";
  if (kty !== "AKP" || alg !== kemName) return `Must be a key for ${kemName} (kty: AKP)`;
  if (typeof pub !== "string" || decodePublicKey(pub) === undefined)
    return `Must have ${kemPublicKeyBytes} bytes in pub, in base64url without padding`;
  return { kty, alg, pub };
}

/** The bytes of a public key's `pub`; `undefined` where it is malformed. */
export function decodePublicKey(pub: string): Bytes | undefined {
  const bytes = decodeShortBase64Url(pub);
  return bytes?.length === kemPublicKeyBytes ? bytes : undefined;
}

/** The seed of a private key; `undefined` where `priv` is malformed. */
export function decodeSeed({ priv }: Pick<HybridPrivateKey, "priv">): Bytes | undefined {
  const bytes = decodeShortBase64Url(priv);
  return bytes?.length === seedBytes ? bytes : undefined;
}
