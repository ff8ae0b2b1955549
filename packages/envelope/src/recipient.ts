import { bech32 } from "@scure/base";

/** The two kinds of age's own keys that may read envelopes, by the type of their stanzas. */
export type RecipientKind = "mlkem768x25519" | "X25519";

const kinds: readonly { readonly kind: RecipientKind; readonly prefix: string; readonly bytes: number }[] = [
  { kind: "mlkem768x25519", prefix: "age1pq", bytes: 1216 },
  { kind: "X25519", prefix: "age", bytes: 32 },
];

/** The kind of an age recipient, `age1pq1…` or `age1…`; `undefined` for any other text, capitals included. */
export function kindOf(recipient: string): RecipientKind | undefined {
  return kinds.find(({ prefix, bytes }) => decode(recipient, prefix)?.length === bytes)?.kind;
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
