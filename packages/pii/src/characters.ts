/** "Boundary" everywhere in this package: no letter, digit, mark or `_` directly before or after. */
const wordPattern = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts written without spaces, or with particles glued to numbers: a digit next to them still counts as separate. */
const spacelessPattern = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isAsciiLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

export function isHex(code: number): boolean {
  const lower = code | 32;
  return isDigit(code) || (lower >= 97 && lower <= 102);
}

/** The width in UTF-16 units of the letter, digit, mark or `_` at `index`; 0 if there is none. */
export function wordAt(text: string, index: number): number {
  return wordWidth(text.codePointAt(index) ?? 0);
}

/** The same for the one that ends at `index`. */
export function wordBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index - 1);
  return unit < 128 ? asciiWidth(unit) : wordWidth(codePointBefore(text, index));
}

/** Whether a match may start or end at `index`: nothing on the outer side belongs to the same word. */
export function startsClean(text: string, index: number): boolean {
  const unit = text.charCodeAt(index - 1);
  return unit < 128 ? asciiWidth(unit) === 0 : !glues(codePointBefore(text, index));
}

export function endsClean(text: string, index: number): boolean {
  return !glues(text.codePointAt(index) ?? 0);
}

function codePointBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index - 1);
  const isLowSurrogate = unit >= 0xdc00 && unit <= 0xdfff;
  return (isLowSurrogate && index > 1 ? text.codePointAt(index - 2) : unit) || 0;
}

function wordWidth(codePoint: number): number {
  if (codePoint < 128) return asciiWidth(codePoint);
  if (!wordPattern.test(String.fromCodePoint(codePoint))) return 0;
  return codePoint > 0xffff ? 2 : 1;
}

function asciiWidth(code: number): number {
  return isDigit(code) || isAsciiLetter(code) || code === 95 ? 1 : 0;
}

function glues(codePoint: number): boolean {
  if (wordWidth(codePoint) === 0) return false;
  return codePoint < 128 || !spacelessPattern.test(String.fromCodePoint(codePoint));
}
