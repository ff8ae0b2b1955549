import {
  asideWords,
  birthWords,
  companions,
  type FieldType,
  fieldWords,
  joiningWords,
  ownedNames,
  questionWords,
  subjectWords,
  trailingWords,
  wholeNames,
} from "./field-words.ts";
import { isToken, type PiiType } from "./types.ts";
import { splitWords } from "./words.ts";

/** Hints about a field besides its name: from the page, so only in a browser. */
export interface Hint {
  readonly type?: string;
  readonly autocomplete?: string;
  readonly label?: string;
  readonly placeholder?: string;
  readonly pii?: boolean;
}

/** The treatment of a field's value: removed whole (of a known type or not), read as text, or left alone. */
export type FieldRule =
  | { readonly kind: "remove"; readonly type: PiiType | undefined }
  | { readonly kind: "scan" }
  | { readonly kind: "keep" };

const typesByInput: Readonly<Record<string, PiiType>> = {
  email: "EMAIL_ADDRESS",
  tel: "PHONE_NUMBER",
  password: "PASSWORD",
};
/** The author wrote these values, or they are no prose: their name removes nothing. */
const namelessInputs = new Set([
  "checkbox",
  "radio",
  "select-one",
  "select-multiple",
  "range",
  "color",
  "hidden",
  "number",
]);

/**
 * What to do with a field by what its form says of it; the first rule that speaks decides: the author's word, the kind of
 * input, `autocomplete`, the name, the label, the placeholder. `outerWords` are those of the objects that the field is in.
 */
export function ruleOf(name: string, hint: Hint, country: string, outerWords: readonly string[] = []): FieldRule {
  if (hint.pii === false) return { kind: "keep" };
  const type = typeOf(name, hint, country, outerWords);
  if (hint.pii === true) return { kind: "remove", type: type === "KEEP" ? undefined : type };
  return type === undefined || type === "KEEP" ? { kind: "scan" } : { kind: "remove", type };
}

function typeOf(
  name: string,
  hint: Hint,
  country: string,
  outerWords: readonly string[],
): PiiType | "KEEP" | undefined {
  const input = hint.type?.toLowerCase() ?? "";
  const byInput = Object.hasOwn(typesByInput, input) ? typesByInput[input] : undefined;
  const spoken = byInput ?? typeByAutocomplete(hint.autocomplete ?? "");
  if (spoken !== undefined) return spoken;
  const words = wordsOf(name);
  const named = isQuestion(name)
    ? undefined
    : (typeByWords(words) ?? (outerWords.length > 0 ? typeByWords([...outerWords, ...words]) : undefined));
  // A year of birth is one, chosen from a list or not, and so is the month in which a card expires.
  if (namelessInputs.has(input)) {
    const isPart = named === "DATE_OF_BIRTH" || named === "CARD_DETAILS";
    return isPart && (input === "select-one" || input === "number") ? named : undefined;
  }
  const placeholder = hint.placeholder ?? "";
  const type =
    named ??
    typeByCaption(hint.label ?? "", input) ??
    typeByCaption(placeholder, input) ??
    (input !== "textarea" && exampleAddress.test(placeholder) ? "EMAIL_ADDRESS" : undefined);
  return type === "PASSPORT" ? (country === "GB" ? "UK_PASSPORT" : "US_PASSPORT") : type;
}

const typesByAutocomplete: ReadonlyArray<readonly [RegExp, PiiType | "KEEP"]> = [
  [/^(?:organization(?:-title)?|country(?:-name)?|language|transaction-.*|cc-type)$/, "KEEP"],
  [/^(?:name|honorific-(?:prefix|suffix)|(?:given|additional|family)-name|cc-(?:.*-)?name)$/, "PERSON_NAME"],
  [/^(?:nickname|username)$/, "USERNAME"],
  [/^(?:(?:new|current)-password|one-time-code)$/, "PASSWORD"],
  [/^(?:street-address|address-line[1-3]|address-level[1-4]|postal-code)$/, "POSTAL_ADDRESS"],
  [/^cc-number$/, "CREDIT_CARD"],
  [/^cc-/, "CARD_DETAILS"],
  [/^bday(?:-.*)?$/, "DATE_OF_BIRTH"],
  [/^sex$/, "GENDER"],
  [/^tel(?:-.*)?$/, "PHONE_NUMBER"],
  [/^email$/, "EMAIL_ADDRESS"],
  [/^(?:impp|photo|url)$/, "URL"],
];

/** The field name of an `autocomplete` attribute is its last token but for `webauthn` (HTML, section 4.10.18.7); all before it says where, not what. */
function typeByAutocomplete(autocomplete: string): PiiType | "KEEP" | undefined {
  const parts = autocomplete.toLowerCase().split(/\s/).filter(Boolean);
  if (parts.at(-1) === "webauthn") parts.pop();
  const last = parts.at(-1) ?? "";
  return typesByAutocomplete.find(([pattern]) => pattern.test(last))?.[1];
}

const wordsLengthMax = 256;

/** A name that was itself removed says nothing more: `[EMAIL]_2`. */
export function wordsOf(name: string): string[] {
  return isToken(name.replace(/_\d+$/, "")) ? [] : splitWords(name.slice(-wordsLengthMax));
}

/** A placeholder that is an email address: `name@example.com`. */
const exampleAddress = /^[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{1,63}$/;
const captionWordsMax = 4;

/**
 * The type that a label or a placeholder names. Only what is short and asks nothing is the name of a field: "Which of our plans
 * has a phone?" is answered with words. Text in brackets or after a mark explains. Nothing of it names a textarea.
 */
function typeByCaption(caption: string, input: string): FieldType | undefined {
  if (input === "textarea") return undefined;
  const plain = caption.replace(/\([^()]*\)|\[[^[\]]*\]/g, " ");
  if (isQuestion(plain)) return undefined;
  const head = plain.split(/[\n:*,;|–—]| - /).find((part) => /\p{L}/u.test(part)) ?? "";
  const parts = withoutDouble(head.split(/[\s/]/).filter((part) => /\p{L}/u.test(part)));
  return parts.length > captionWordsMax ? undefined : typeByWords(splitWords(parts.join(" ")));
}

/** A label with its text twice, for the eye and for screen readers, says it once. */
function withoutDouble(parts: readonly string[]): readonly string[] {
  const half = parts.slice(0, parts.length / 2);
  return half.join(" ") === parts.slice(half.length).join(" ") ? half : parts;
}

/** The type that the last words name; whole words and pairs, so that `statement`, `zipfile` and `email_opt_in` name none. */
function typeByWords(all: readonly string[]): FieldType | undefined {
  if (questionWords.has(all[0] ?? "")) return undefined;
  if (/^[dmytjag]$/.test(all.at(-1) ?? "") && birthWords.has(all.at(-2) ?? "")) return "DATE_OF_BIRTH";
  const words = all.filter((word) => !joiningWords.has(word));
  const whole = wholeNames.get(words.join(" "));
  if (whole !== undefined) return whole;
  for (;;) {
    for (let count = 3; count > 0; count--) {
      const found = words.length < count ? undefined : fieldWords.get(words.slice(-count).join(" "));
      if (found === undefined) continue;
      return asideWords.has(words.at(-count - 1) ?? "") || isSubject(words.slice(0, -count)) ? undefined : found;
    }
    const [before, last = ""] = words.length > 1 ? words.slice(-2) : [undefined, words[0]];
    // `Town/City` says it twice, and so does `address[address_1]`.
    const pair = companions.find(
      ({ words: ambiguous, after }) =>
        ambiguous.has(last) && (before === undefined || ambiguous.has(before) || after.has(before)),
    );
    if (pair !== undefined) return isSubject(words.slice(0, -2)) ? undefined : pair.type;
    const [name = "", owner = ""] = words;
    if (words.length === 2 && ownedNames.some(([names, owners]) => names.has(name) && owners.has(owner)))
      return "PERSON_NAME";
    if (!trailingWords.has(words.pop() ?? "")) return undefined;
  }
}

/** Whether a name or a caption asks. Its answer is no value of what it names. */
export function isQuestion(text: string): boolean {
  return /[?？؟]/.test(text);
}

/** Whether a name is that of a person with more than a name: inside an object so called, each member decides by its own name. */
export function namesPerson(name: string): boolean {
  const words = wordsOf(name).filter((word) => !joiningWords.has(word));
  return wholeNames.get(words.join(" ")) === "PERSON_NAME";
}

/** Whether something is said about what follows: `comment_on_your_phone`. */
function isSubject(before: readonly string[]): boolean {
  return before.some((word) => subjectWords.has(word));
}
