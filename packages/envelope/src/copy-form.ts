import { type Bytes, decode, parseStanzas, type StanzaText } from "./age-header.ts";
import { isX25519Key } from "./curve-keys.ts";
import { RefusalError } from "./refusal.ts";

export const copyBytesMax = 4096;
/** A second of a desktop's time, which a server that tries passphrases pays for each. */
export const scryptWorkFactor = 18;
export const passkeyStanza = "age-encryption.org/fido2prf";

/** A copy of a personal key opens with one of these; the identity is that of a sheet or of another device. */
export type CopyKind = "passphrase" | "passkey" | "identity";

/**
 * What opens a copy of a personal key, by its header alone; `undefined` for a file that has another form than SPECIFICATION.md section 16
 * says, which nobody opens. Nothing is computed.
 */
export function findCopyKind(file: Bytes): CopyKind | undefined {
  if (file.length > copyBytesMax) return undefined;
  try {
    const [stanza, ...others] = parseStanzas(file);
    return stanza === undefined || others.length > 0 ? undefined : kindOfStanza(stanza);
  } catch (error) {
    if (error instanceof RefusalError) return undefined;
    throw error;
  }
}

function kindOfStanza({ kind, args, body }: StanzaText): CopyKind | undefined {
  if (decode(body)?.length !== 32) return undefined;
  const [first = "", ...more] = args;
  const bytes = decode(first);
  if (kind === "scrypt")
    return bytes?.length === 16 && more.length === 1 && more[0] === `${scryptWorkFactor}` ? "passphrase" : undefined;
  if (more.length > 0) return undefined;
  if (kind === passkeyStanza) return bytes?.length === 16 ? "passkey" : undefined;
  const isHybrid = kind === "mlkem768x25519" && bytes?.length === 1120;
  return isHybrid && isX25519Key(bytes.subarray(-32)) ? "identity" : undefined;
}
