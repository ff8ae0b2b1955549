import { decodeShortBase64Url } from "./base64.ts";
import { thumbprint } from "./thumbprint.ts";

/** An RSA public key as JWK (RFC 7517, RFC 7518 section 6.3.1), exactly these members. */
export interface PublicKey {
  readonly kty: "RSA";
  readonly n: string;
  readonly e: string;
}

/** An RSA private key as JWK (RFC 7518 section 6.3.2), exactly these members; WebCrypto needs them all. */
export interface PrivateKey extends PublicKey {
  readonly d: string;
  readonly p: string;
  readonly q: string;
  readonly dp: string;
  readonly dq: string;
  readonly qi: string;
}

export interface KeyPair {
  readonly publicKey: PublicKey;
  readonly privateKey: PrivateKey;
}

/** RSA-OAEP with SHA-256 (RFC 8017 section 7.1), the one algorithm for content keys. */
export const rsaAlgorithm = { name: "RSA-OAEP", hash: "SHA-256" } as const;

const publicExponent = "AQAB";
const modulusBitsMin = 2048;
const modulusBitsMax = 4096;
/** Room for 16,384 bits: a key that is merely too big gets an error with its size; longer ones are not even decoded. */
const modulusCharactersMax = 2731;

/** A fresh RSA-3072 pair, e = 65537. */
export async function generateKeyPair(): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey(
    { ...rsaAlgorithm, modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["encrypt", "decrypt"],
  );
  const { n, d, p, q, dp, dq, qi } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  if (!(n && d && p && q && dp && dq && qi)) throw new Error("This platform exports incomplete RSA keys");
  const publicKey = { kty: "RSA", n, e: publicExponent } as const;
  return { publicKey, privateKey: { ...publicKey, d, p, q, dp, dq, qi } };
}

/** The RFC 7638 thumbprint (SHA-256, base64url, 43 characters) of the public half. */
export function fingerprint({ n, e }: Pick<PublicKey, "n" | "e">): Promise<string> {
  return thumbprint({ e, kty: "RSA", n });
}

/** The length in bytes of the key's modulus, which is the length of everything that it encrypts. */
export function modulusBytes(publicKey: Pick<PublicKey, "n">): number {
  return Math.floor((publicKey.n.length * 3) / 4);
}

/** The ways a public key can be invalid. The sentences are separate, so that a bundle that only uses `isPublicKey` does without them. */
type PublicKeyIssue = "members" | keyof PublicKey | "size" | "even";

/**
 * Whether `value` is a public key that may be used: RSA, 2048 to 4096 bits, e = 65537, an odd modulus in canonical
 * base64url, exactly `kty`, `n` and `e`. Members like `alg` or `key_ops` are never taken from outside, and a private member
 * means that somebody is about to give away what only the owner may have.
 */
export function isPublicKey(value: unknown): value is PublicKey {
  const { kty, n, e } = Object(value) as Record<string, unknown>; // each member is checked here
  const modulus = decodeModulus(n);
  return kty === "RSA" && e === publicExponent && !!modulus && isOfSize(modulus) && isOdd(modulus) && hasThree(value);
}

/** The public key in `value`, a copy of what `isPublicKey` accepts, or the sentence that says what is wrong with it. */
export function parsePublicKey(value: unknown): PublicKey | string {
  if (typeof value !== "object" || value === null) return "Must be an RSA public key as JWK";
  if (privateMembers.some((name) => Object.hasOwn(value, name)))
    return "Must be the public key only: this one contains private members, keep them to yourself";
  const issue = findIssue(value);
  if (issue === undefined || issue === "size") {
    const { kty, n, e } = value as PublicKey; // nothing but the size can be wrong
    if (issue === undefined) return { kty, n, e };
    const bits = bitsOf(decodeModulus(n) ?? new Uint8Array());
    return `Must have ${modulusBitsMin} to ${modulusBitsMax} bits, this one has ${bits}`;
  }
  if (issue === "n" && typeof Reflect.get(value, "n") !== "string") return "Must have a modulus n";
  return sentences[issue];
}

const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const sentences: Readonly<Record<Exclude<PublicKeyIssue, "size">, string>> = {
  members: "Must have exactly the members kty, n and e",
  kty: "Must be an RSA key (kty: RSA)",
  e: "Must have the public exponent 65537 (e: AQAB)",
  n: "Must have a modulus n in base64url without padding or leading zeros",
  even: "Must have an odd modulus n",
};

function findIssue(value: unknown): PublicKeyIssue | undefined {
  const { kty, n, e } = Object(value) as Record<string, unknown>; // each member is checked below
  if (kty !== "RSA") return "kty";
  if (e !== publicExponent) return "e";
  const modulus = decodeModulus(n);
  if (modulus === undefined) return "n";
  if (!isOfSize(modulus)) return "size";
  if (!isOdd(modulus)) return "even";
  return hasThree(value) ? undefined : "members";
}

function isOfSize(modulus: Uint8Array): boolean {
  const bits = bitsOf(modulus);
  return bits >= modulusBitsMin && bits <= modulusBitsMax;
}

function isOdd(modulus: Uint8Array): boolean {
  return (modulus.at(-1) ?? 0) % 2 > 0;
}

function hasThree(value: unknown): boolean {
  return Object.keys(Object(value)).length === 3;
}

/** The bytes of a modulus in canonical form: what encoding gives again, without leading zeros, not endlessly long. */
function decodeModulus(n: unknown): Uint8Array | undefined {
  const modulus = typeof n !== "string" || n.length > modulusCharactersMax ? undefined : decodeShortBase64Url(n);
  return modulus?.[0] ? modulus : undefined;
}

function bitsOf(modulus: Uint8Array): number {
  return modulus.length * 8 + 24 - Math.clz32(modulus[0] ?? 0);
}
