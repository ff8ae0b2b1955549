import type { WordRule } from "./word-list.ts";

export interface FoundWord {
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The words of prose and of names: `findFault`, `find_fault` and `find-fault` are two words each. */
function split(text: string): readonly Token[] {
  return [...text.matchAll(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu)].map(({ 0: word, index }) => ({
    text: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

/** Words of one phrase are next to each other, or on two lines of one comment. */
const gap = /^(?:[ _.-]|\n[ \t]*(?:\*|\/\/)?[ \t]*|)$/;

interface Index {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function indexWords(text: string): Index {
  const tokens = split(text);
  const places = new Map<string, number[]>();
  for (const [place, { text: word }] of tokens.entries()) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [place]);
    else known.push(place);
  }
  return { text, tokens, places };
}

/** The places of the first words of a phrase. */
function findPhrase({ text, tokens, places }: Index, phrase: string): readonly number[] {
  const words = phrase.split(" ");
  return (places.get(words[0] ?? "") ?? []).filter((place) =>
    words.every((word, offset) => {
      const token = tokens[place + offset];
      const before = tokens[place + offset - 1];
      if (token?.text !== word) return false;
      return offset === 0 || before === undefined || gap.test(text.slice(before.end, token.start));
    }),
  );
}

export function findWords(text: string, rules: readonly WordRule[]): readonly FoundWord[] {
  const index = indexWords(text);
  return rules.flatMap(({ avoid, use, unless = [] }) => {
    const excused = new Set(
      unless.flatMap((phrase) =>
        findPhrase(index, phrase).flatMap((place) => phrase.split(" ").map((_, offset) => place + offset)),
      ),
    );
    return avoid.flatMap((word) =>
      findPhrase(index, word)
        .filter((place) => !excused.has(place))
        .map((place) => ({ line: lineOf(text, index.tokens[place]?.start ?? 0), word, use })),
    );
  });
}

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
