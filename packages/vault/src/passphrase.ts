import { passphraseWords, splitWords } from "@sealpost/envelope";

/** The words of the list's file, one a line. */
export function parseWords(file: string): readonly string[] {
  return file.trimEnd().split("\n");
}

/** Six words of the list, each drawn evenly. */
export function generatePassphrase(words: readonly string[]): string {
  return Array.from({ length: passphraseWords }, () => words[drawBelow(words.length)]).join(" ");
}

/** An even draw of 0 … `count` - 1: numbers that would favour the first words are drawn again. */
function drawBelow(count: number): number {
  const even = 2 ** 32 - (2 ** 32 % count);
  let number: number;
  do [number = even] = crypto.getRandomValues(new Uint32Array(1));
  while (number >= even);
  return number % count;
}

/** The difference of the typed words from those that were shown: their number, or the first wrong one, from 1. */
export function findWrongWord(typed: string, passphrase: string): { count: number } | { word: number } | undefined {
  const words = splitWords(typed);
  const expected = passphrase.split(" ");
  if (words.length !== expected.length) return { count: words.length };
  const index = expected.findIndex((word, place) => word !== words[place]);
  return index === -1 ? undefined : { word: index + 1 };
}

/**
 * Whether a passphrase has characters that other devices could write in another way, or not at all: invisible ones, and those that
 * Unicode has yet to name. Joiners are part of words in some scripts.
 */
export function hasUncommonCharacters(passphrase: string): boolean {
  return /[^\P{C}\u200C\u200D]/u.test(passphrase.replace(/\s/g, " "));
}
