import { passphraseWords, splitWords } from "@sealpost/envelope";
import { FieldRefused } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
import { loadWords } from "./load-words.ts";

const { ownPassphrase } = text;

/**
 * Refuses a new sign-in password of six words from the list that those of keys are drawn from, before it is sent. Where nobody is signed in
 * no copy of a key can be tried, but words of a key are recognized all the same. The error is that of the field `field`.
 */
export async function refuseKeyWords(password: string, field: "password" | "newPassword"): Promise<void> {
  const typed = splitWords(password);
  if (typed.length !== passphraseWords) return;
  const words = new Set(await loadWords());
  if (!typed.every((word) => words.has(word))) return;
  throw new FieldRefused(field, ownPassphrase.passwordIsWords);
}
