import { decodeKeyFileText } from "@sealpost/wire";
import { armor, Decrypter, Encrypter } from "age-encryption";
import type { Bytes } from "./age-header.ts";
import { normalizePassphrase } from "./key-copy.ts";

/**
 * What somebody who types `typed` can have made a file with: the same letters are other bytes where a keyboard or an operating
 * system composes them (NFC) or not (NFD, macOS), and programs of age take them as they come. The last is the one of copies of
 * personal keys. Each is tried once, and takes a second.
 */
export function passphraseForms(typed: string): readonly string[] {
  return [...new Set([typed, typed.normalize("NFC"), typed.normalize("NFD"), normalizePassphrase(typed)])];
}

/**
 * A file that a passphrase opens, in a form that every program of age reads: binary, with one scrypt stanza. The passphrase is in NFC.
 * `workFactor` is the logarithm of scrypt's cost; the runtime computes for a second at 18, and does nothing else meanwhile.
 */
export async function protectWithPassphrase(plain: string, passphrase: string, workFactor: number): Promise<Bytes> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.normalize("NFC"));
  encrypter.setScryptWorkFactor(workFactor);
  return new Uint8Array(await encrypter.encrypt(plain));
}

/** The text in a file of age with a passphrase, armored or not, or why there is none. Never rejects. */
export async function openWithPassphrase(
  file: Bytes,
  typed: string,
): Promise<{ readonly plain: string } | "wrong_passphrase" | "damaged"> {
  const decrypter = new Decrypter();
  for (const form of passphraseForms(typed)) decrypter.addPassphrase(form);
  try {
    return { plain: decodeKeyFileText(await decrypter.decrypt(withoutArmor(file))) };
  } catch (error) {
    // The library's own words for a header that no passphrase of ours fits; everything else is damage.
    const isPassphrase = error instanceof Error && /no identity matched/i.test(error.message);
    return isPassphrase ? "wrong_passphrase" : "damaged";
  }
}

/** An age file without the armor that it may have. Throws where that is damaged. */
export function withoutArmor(file: Bytes): Bytes {
  const text = decodeKeyFileText(file);
  return text.trimStart().startsWith("-----BEGIN") ? new Uint8Array(armor.decode(text)) : file;
}
