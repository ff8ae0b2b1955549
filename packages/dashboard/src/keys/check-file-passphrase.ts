import type { Mistakes } from "../form-kit/mistakes.ts";
import { text } from "../texts/text.ts";

const lengthMin = 10;

/** Mistakes in the passphrase of a key file, which is typed twice. */
export function checkFilePassphrase(passphrase: string, again: string): Mistakes {
  const { wizard } = text.forms;
  if (passphrase.length < lengthMin) return { passphrase: wizard.passphraseShort };
  return passphrase === again ? {} : { passphrase: wizard.passphraseDiffers };
}
