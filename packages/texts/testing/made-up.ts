import type { Language } from "../src/language.ts";

/** Around what a text was given: a name, an address, a number as text. Invisible, and of no width (Unicode, isolates). */
const dataStart = "\u2068";
const dataEnd = "\u2069";
const marked = /\u2068[^\u2069]*\u2069/g;

const letters = new Map(
  Array.from("àƀćđéƒğĥíĵķļḿñóþɋŕšŧúṽŵẋýžÀƁĆĐÉƑĞĤÍĴĶĻḾÑÓÞɊŔŠŦÚṼŴẊÝŽ", (letter, index) => [
    String.fromCharCode(index < 26 ? 97 + index : 65 - 26 + index),
    letter,
  ]),
);
const replaceLetters = (words: string) => words.replace(/[A-Za-z]/g, (letter) => letters.get(letter) ?? letter);

/** A text without the data in it. */
export const withoutData = (shown: string): string => shown.replace(marked, "");

/** The words in another alphabet; what is marked as data stays. */
function replaceWords(words: string): string {
  let made = "";
  let end = 0;
  for (const { 0: data, index } of words.matchAll(marked)) {
    made += replaceLetters(words.slice(end, index)) + data;
    end = index + data.length;
  }
  return made + replaceLetters(words.slice(end));
}

const withoutMarks = (words: string) => words.replaceAll(dataStart, "").replaceAll(dataEnd, "");

function mapStrings(value: unknown, change: (words: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapStrings(one, change)]));
}

/**
 * The result of a text with data marked in it. A text that decides by what it is given, such as a role, decides the same: where marks would
 * change it, there is no data to mark, and all of it is words.
 */
function fill(make: (...values: never[]) => unknown, values: readonly unknown[]): unknown {
  const plain = make(...(values as never[])); // as the caller passes them
  let withMarks: unknown;
  try {
    withMarks = make(
      ...(mapStrings(values, (data) => (data === "" ? data : dataStart + withoutMarks(data) + dataEnd)) as never[]),
    );
  } catch {
    return plain;
  }
  const isSame =
    JSON.stringify(mapStrings(withMarks, withoutMarks)) === JSON.stringify(mapStrings(plain, withoutMarks));
  return isSame ? withMarks : plain;
}

/** The same texts in a made-up language: none of their words has an ASCII letter, and what they are given is marked as data. */
export function makeUp<Texts>(texts: Texts): Texts {
  const change = (value: unknown): unknown => {
    if (typeof value === "function") return (...values: unknown[]) => change(fill(value as () => unknown, values)); // a text
    if (typeof value === "string") return replaceWords(value);
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]));
  };
  return change(texts) as Texts; // of the same shape
}

/** A tag that no reader has, and that no catalogue will ever have (ISO 639-3, "no linguistic content"). */
export const madeUpTag = "zxx";

/** The row of the made-up language: every part is made from that of the given one when it is loaded. */
export function makeUpLanguage({ load }: Language): Language {
  const parts = Object.entries(load as Readonly<Record<string, () => Promise<unknown>>>);
  return {
    tag: madeUpTag,
    name: "Ƀàḿ",
    direction: "ltr",
    load: Object.fromEntries(
      parts.map(([part, loadPart]) => [part, async () => makeUp(await loadPart())]),
    ) as unknown as Language["load"], // the same parts
  };
}
