import { type Bytes, countStanzas, decode, parseStanzas } from "./age-header.ts";
import { copyBytesMax, passkeyStanza } from "./copy-form.ts";
import { readersMax } from "./envelope-content.ts";
import { catchRefusal, check, type RefusalError } from "./refusal.ts";

/** How a binary age file opens, by its header alone. */
export type AgeFileWay =
  | { readonly way: "passphrase"; readonly workFactor: number }
  | { readonly way: "passkey" }
  /** Only an envelope, where it can't be a copy of a personal key. */
  | { readonly way: "identity"; readonly isCopyPossible: boolean };

/**
 * Tells what has to be asked for before an age file opens: nothing is computed. Refused as `malformed` where it is no envelope, no
 * copy of a personal key, and no file with a passphrase.
 */
export function findAgeFileWay(file: Bytes): Promise<AgeFileWay | RefusalError<"malformed">> {
  return catchRefusal<AgeFileWay, "malformed">(find(file));
}

async function find(file: Bytes): Promise<AgeFileWay> {
  const [stanza, ...others] = parseStanzas(file);
  if (stanza?.kind === "scrypt") {
    const [salt = "", workFactor = ""] = stanza.args;
    check(others.length === 0 && decode(salt)?.length === 16 && /^[1-9]\d?$/.test(workFactor), "malformed");
    return { way: "passphrase", workFactor: Number(workFactor) };
  }
  if (stanza?.kind === passkeyStanza && others.length === 0) return { way: "passkey" };
  const count = countStanzas(file, readersMax);
  const isCopyPossible = count === 1 && stanza?.kind === "mlkem768x25519" && file.length <= copyBytesMax;
  return { way: "identity", isCopyPossible };
}
