import { encodeBase64Url } from "@sealpost/wire";
import type { AdmissionLink } from "./admission-link.ts";
import { type AdmissionTerms, parseSignedTerms } from "./admission-terms.ts";
import type { Bytes } from "./age-header.ts";
import { catchRefusal, check, type RefusalError } from "./refusal.ts";

/** So many words of a list of 7,776 are 77.5 bits; each try costs a server `wordRounds` times two hashes, which is as much as 97 bits. */
export const admissionWords = 6;
const wordRounds = 600_000;
const secretBytes = 16;

/** Parts of the words' salt: other words are needed for every other admission, organization and list. */
type Salt = Pick<AdmissionTerms, "admissionId" | "organizationId" | "list">;

/**
 * The secret of an admission whose link is not passed on, but six words that somebody types. It follows from the words *and* the head of the maker's
 * list: so terms with another head, which a server shows, do not hold a key that follows from these words.
 */
export async function deriveAdmissionSecret(
  words: readonly string[],
  { admissionId, organizationId, list: { number, hash } }: Salt,
): Promise<Bytes> {
  check(words.length === admissionWords && words.every((word) => /^[a-z-]{1,32}$/.test(word)), "wrong_words");
  const encoder = new TextEncoder();
  const salt = `sealpost-admission-words/1\n${JSON.stringify({ admissionId, organizationId, number, hash })}`;
  const key = await crypto.subtle.importKey("raw", encoder.encode(words.join(" ")), "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt: encoder.encode(salt), iterations: wordRounds };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, secretBytes * 8));
}

/**
 * The link that the words stand for, with terms that a server shows and nobody has checked yet: `readAdmission` finds with it whether they belong
 * together, as with a link that was opened. Refused where these are no six words, or the terms are damaged.
 */
export function linkOfWords(
  terms: string,
  words: readonly string[],
): Promise<AdmissionLink | RefusalError<"malformed" | "wrong_words">> {
  return catchRefusal<AdmissionLink, "malformed" | "wrong_words">(toLink(terms, words));
}

async function toLink(text: string, words: readonly string[]): Promise<AdmissionLink> {
  const { terms } = parseSignedTerms(text);
  const secret = encodeBase64Url(await deriveAdmissionSecret(words, terms));
  return { admissionId: terms.admissionId, secret, head: terms.list };
}
