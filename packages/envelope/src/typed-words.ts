/** So many words of a list of 7,776 are 77.5 bits. */
export const passphraseWords = 6;

/** The words that somebody typed or pasted, in small letters; not what a list has next to them, as in "1. word,". */
export function splitWords(typed: string): readonly string[] {
  return typed
    .toLowerCase()
    .split(/[\s,;.:)]+/)
    .filter((word) => /\D/.test(word));
}

/** The passphrases that somebody may mean who types one: the text itself and, where it can be six words, those in the spelling of the list. */
export function findMeant(typed: string): readonly string[] {
  const words = splitWords(typed);
  const drawn = words.join(" ");
  return words.length === passphraseWords && drawn !== typed ? [drawn, typed] : [typed];
}
