import { bech32 } from "@scure/base";
import { isMlKemKey, isX25519Key } from "./curve-keys.ts";

/** The two kinds of age's own keys that may read envelopes, by the type of their stanzas. */
export type RecipientKind = "mlkem768x25519" | "X25519";

const mlKemKeyBytes = 1184;
const x25519KeyBytes = 32;

/** The kind of an age recipient, `age1pq1…` or `age1…`; `undefined` for any other text, capitals included, and for unusable keys. */
export function kindOf(recipient: string): RecipientKind | undefined {
  const hybrid = decode(recipient, "age1pq");
  if (hybrid?.length === mlKemKeyBytes + x25519KeyBytes)
    return isMlKemKey(hybrid) && isX25519Key(hybrid.subarray(mlKemKeyBytes)) ? "mlkem768x25519" : undefined;
  const key = decode(recipient, "age");
  return key?.length === x25519KeyBytes && isX25519Key(key) ? "X25519" : undefined;
}

/** The public key of a hybrid recipient. */
export function hybridKeyOf(recipient: string): Uint8Array<ArrayBuffer> {
  const bytes = decode(recipient, "age1pq");
  if (bytes === undefined) throw new TypeError("Not a hybrid recipient");
  return bytes;
}

/** The seed of a hybrid identity, `AGE-SECRET-KEY-PQ-1…`; `undefined` for any other text. */
export function hybridSeedOf(identity: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = identity === identity.toUpperCase() ? decode(identity.toLowerCase(), "age-secret-key-pq-") : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}

/** The hybrid identity of a seed, 32 bytes. */
export function hybridIdentityOf(seed: Uint8Array): string {
  return bech32.encodeFromBytes("age-secret-key-pq-", seed).toUpperCase();
}

/** Whether a text is one of age's own identities, `AGE-SECRET-KEY-PQ-1…` or `AGE-SECRET-KEY-1…`, in capitals. */
export function isIdentity(text: string): boolean {
  if (hybridSeedOf(text) !== undefined) return true;
  return text === text.toUpperCase() && decode(text.toLowerCase(), "age-secret-key-")?.length === x25519KeyBytes;
}

function decode(text: string, prefix: string): Uint8Array<ArrayBuffer> | undefined {
  if (!text.startsWith(`${prefix}1`) || text.length > 2000) return undefined;
  try {
    const decoded = bech32.decode(text as `${string}1${string}`, false); // the one is there
    const bytes = bech32.fromWords(decoded.words);
    // One spelling alone.
    return decoded.prefix === prefix && bech32.encode(prefix, bech32.toWords(bytes), false) === text
      ? new Uint8Array(bytes)
      : undefined;
  } catch {
    return undefined;
  }
}
