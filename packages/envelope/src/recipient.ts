import { bech32 } from "@scure/base";
import { isMlKemKey, isX25519Key } from "./curve-keys.ts";

const mlKemKeyBytes = 1184;
const x25519KeyBytes = 32;

/** Whether a text is a hybrid recipient of age, `age1pq1…`, with a usable key. No other one, since age refuses to seal for two kinds at once. */
export function isRecipient(text: string): boolean {
  const key = decode(text, "age1pq");
  return key?.length === mlKemKeyBytes + x25519KeyBytes && isMlKemKey(key) && isX25519Key(key.subarray(mlKemKeyBytes));
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
