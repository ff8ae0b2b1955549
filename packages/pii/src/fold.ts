import { type Steps, stepSize } from "./steps.ts";

/**
 * A shadow copy of a text in which every way to write the same thing looks the same, with the place each unit came from.
 * Detectors read the shadow; what they find is mapped back, so nothing of the original is lost but what is found.
 */
export interface Shadow {
  readonly text: string;
  /** For each unit of `text`: where in the original its source starts and ends (exclusive), in UTF-16 units. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Stands for one token or one hit: no letter, no digit, no separator, so nothing reaches across it. A noncharacter. */
export const barrier = "\uffff";

/** Zero-width characters, soft hyphens, bidi marks, variation selectors (Unicode's own list), and the keycap of 5️⃣. */
const ignorablePattern = /\p{Default_Ignorable_Code_Point}|\u20e3/u;
const decimalPattern = /\p{Nd}/u;
/** A character that unfolds to more is a ligature of words (U+FDFA to eighteen letters): no number and no address, only a longer shadow. */
const expansionMax = 4;

/** Folds code point by code point (so that positions stay known): NFKC, then the few characters that NFKC leaves different. */
export function* fold(original: string): Steps<Shadow> {
  if (plainPattern.test(original)) return plainShadow(original);
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  let looked = 0;
  for (let index = 0; index < original.length; ) {
    if (++looked % stepSize === 0) yield;
    const codePoint = original.codePointAt(index) ?? 0;
    let end = index + (codePoint > 0xffff ? 2 : 1);
    let folded: string;
    if (codePoint === 0x25 && original.startsWith("40", end)) {
      folded = "@"; // %40, as in an address inside a URL
      end += 2;
    } else folded = codePoint < 128 ? foldAscii(codePoint) : foldOther(codePoint);
    for (let unit = 0; unit < folded.length; unit++) {
      starts.push(index);
      ends.push(end);
    }
    text += folded;
    index = end;
  }
  return { text, starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}

/** ASCII without tabs and percent signs is its own shadow. */
const plainPattern = /^[^\t%\x80-\uffff]*$/;

function plainShadow(text: string): Shadow {
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  for (let index = 0; index < text.length; index++) {
    starts[index] = index;
    ends[index] = index + 1;
  }
  return { text, starts, ends };
}

/** The shadow with each of the spans (sorted, not overlapping) shrunk to one barrier. */
export function mask(shadow: Shadow, spans: readonly Span[]): Shadow {
  if (spans.length === 0) return shadow;
  let text = "";
  let copied = 0;
  const length = spans.reduce((rest, { start, end }) => rest - (end - start) + 1, shadow.text.length);
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  const copyUntil = (limit: number) => {
    starts.set(shadow.starts.subarray(copied, limit), text.length);
    ends.set(shadow.ends.subarray(copied, limit), text.length);
    text += shadow.text.slice(copied, limit);
  };
  for (const span of spans) {
    copyUntil(span.start);
    const place = unfold(shadow, span);
    starts[text.length] = place.start;
    ends[text.length] = place.end;
    text += barrier;
    copied = span.end;
  }
  copyUntil(shadow.text.length);
  return { text, starts, ends };
}

/** The place of a span of the shadow in the original; dropped characters inside it are covered. */
export function unfold(shadow: Shadow, span: Span): Span {
  return { start: shadow.starts[span.start] ?? 0, end: shadow.ends[span.end - 1] ?? 0 };
}

function foldAscii(codePoint: number): string {
  return codePoint === 9 ? " " : String.fromCharCode(codePoint);
}

function foldOther(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (ignorablePattern.test(character)) return "";
  const normal = character.normalize("NFKC");
  if (normal.length > expansionMax) return character;
  let folded = "";
  for (const part of normal) folded += foldPart(part);
  return folded;
}

function foldPart(part: string): string {
  const codePoint = part.codePointAt(0) ?? 0;
  if (codePoint < 128) return part;
  if ((codePoint >= 0x2010 && codePoint <= 0x2015) || codePoint === 0x2212) return "-";
  if (codePoint === 0x3002 || codePoint === 0xb7 || codePoint === 0x2027 || codePoint === 0x22c5) return ".";
  if (codePoint === 0x2044 || codePoint === 0x2215) return "/";
  if (codePoint === 0x1680) return " ";
  return decimalPattern.test(part) ? String(decimalValue(codePoint)) : part;
}

/**
 * Unicode keeps the ten digits of a script together in order and never puts two scripts' digits side by side (the one
 * exception, U+1D7CE–1D7FF, is gone after NFKC), so a digit's value is the number of digits before it: no table to ship.
 */
function decimalValue(codePoint: number): number {
  let value = 0;
  while (value < 9 && decimalPattern.test(String.fromCodePoint(codePoint - value - 1))) value++;
  return value;
}
