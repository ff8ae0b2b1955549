import { isDigit, wordBefore } from "./characters.ts";
import { barrier } from "./fold.ts";
import type { Steps } from "./steps.ts";
import type { PiiType } from "./types.ts";

/** How sure a detector is; the surer one names the union of overlapping candidates. */
export const strength = { loose: 0, shape: 1, checksum: 2 } as const;

export interface Candidate {
  readonly type: PiiType;
  readonly start: number;
  readonly end: number;
  readonly strength: number;
}

export interface DigitGroup {
  readonly start: number;
  readonly end: number;
}

/** The input of every detector: one folded text, its runs of digits, the wanted types, and where to report. */
export interface Scan {
  readonly text: string;
  readonly groups: readonly DigitGroup[];
  readonly country: string;
  /** Folded words of the field's name and label. */
  readonly fieldWords: readonly string[];
  readonly countingWords: readonly string[];
  /** The text is a number, or was typed into an input for numbers: bare digits count things unless a word says otherwise. */
  readonly isFigure: boolean;
  /** The words before a place, nearest first: see `wordsBefore`. */
  readonly wordsBefore: (index: number, count: number) => readonly string[];
  readonly wants: (type: PiiType) => boolean;
  readonly report: (type: PiiType, start: number, end: number, strength: number) => void;
}

export type Detector = (scan: Scan) => Steps<void>;

export function findDigitGroups(text: string): DigitGroup[] {
  const groups: DigitGroup[] = [];
  for (let index = 0; index < text.length; index++) {
    if (!isDigit(text.charCodeAt(index))) continue;
    const start = index;
    while (isDigit(text.charCodeAt(index))) index++;
    groups.push({ start, end: index });
  }
  return groups;
}

/** Lower case without accents: what words are compared in. */
export function foldWord(word: string): string {
  if (/^[\x20-\x7e]*$/.test(word)) return word.toLowerCase();
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
}

const reachMax = 64;

const wordsMax = 5;

/**
 * Looks up the `count` words before a place, at most five and nearest first, at most 64 units back; a barrier counts as a word that says
 * nothing. Several rules ask about the same place in turn, so the last answer is kept.
 */
export function createWordsBefore(text: string): Scan["wordsBefore"] {
  let lastIndex = -1;
  let last: readonly string[] = [];
  return (index, count) => {
    if (index !== lastIndex) last = readWordsBefore(text, index, wordsMax);
    lastIndex = index;
    return last.slice(0, count);
  };
}

function readWordsBefore(text: string, index: number, count: number): string[] {
  const words: string[] = [];
  const limit = Math.max(0, index - reachMax);
  let end = index;
  while (words.length < count && end > limit) {
    let start = end;
    for (let width = wordBefore(text, start); width > 0 && start > limit; width = wordBefore(text, start))
      start -= width;
    if (start < end) words.push(foldWord(text.slice(start, end)));
    else {
      start--;
      if (text[start] === barrier) words.push("");
    }
    end = start;
  }
  return words;
}

/** Whether the field or one of the three words before `index` is in `words`. */
export function hasContext(scan: Scan, index: number, words: ReadonlySet<string>): boolean {
  return scan.fieldWords.some((word) => words.has(word)) || scan.wordsBefore(index, 3).some((word) => words.has(word));
}
