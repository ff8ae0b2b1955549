import { base64nopad } from "@scure/base";
import { isX25519Key } from "./curve-keys.ts";
import { check } from "./refusal.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** One recipient of an age file as its header has it: `-> kind args`, and the body's base64. */
export interface StanzaText {
  readonly kind: string;
  readonly args: readonly string[];
  readonly body: string;
}

/** The recipients of a binary age file. Refused if the header has another form, with bodies of more than one line, say. */
export function parseStanzas(file: Bytes): readonly StanzaText[] {
  const text = new TextDecoder("latin1").decode(file);
  const end = text.indexOf("\n--- ");
  const [version, ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  const count = lines.length / 2;
  check(version === "age-encryption.org/v1" && count >= 1 && Number.isInteger(count), "malformed");
  return Array.from({ length: count }, (_, index) => {
    const [arrow, kind = "", ...args] = lines[2 * index]?.split(" ") ?? [];
    check(arrow === "->", "malformed");
    return { kind, args, body: lines[2 * index + 1] ?? "" };
  });
}

/** The bytes of a stanza's one argument: HPKE's encapsulated secret, which ends with a public key of X25519. */
const shareBytes = 1120;
/** A file key and its tag. */
const wrappedBytes = 32;

/**
 * How many recipients the header of an age file has, up to `max`. Refused if a stanza is of another form than these recipients
 * have, another reader's too; if they are of a kind that is not for envelopes: a passphrase, say, which a server could make take a
 * minute to try.
 */
export function countStanzas(file: Bytes, max: number): number {
  const stanzas = parseStanzas(file);
  check(stanzas.length <= max, "malformed");
  for (const stanza of stanzas) checkReaderStanza(stanza);
  return stanzas.length;
}

function checkReaderStanza({ kind, args, body }: StanzaText): void {
  check(kind === "mlkem768x25519" && args.length === 1, "malformed");
  const bytes = decode(args[0] ?? "");
  check(bytes?.length === shareBytes && isX25519Key(bytes.subarray(-32)), "malformed");
  check(decode(body)?.length === wrappedBytes, "malformed");
}

/** Base64 without padding, as age's headers have it. */
export function decode(text: string): Uint8Array | undefined {
  try {
    return base64nopad.decode(text);
  } catch {
    return undefined;
  }
}
