import { endsClean, isDigit, startsClean } from "./characters.ts";
import type { DigitGroup } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

/** Groups of digits with nothing between them but what people put into phone numbers. */
export interface Chain {
  /** Where it starts, with `+` and an opening bracket. */
  readonly start: number;
  readonly groups: readonly ChainGroup[];
  /** The separators between the groups: one fewer than there are groups. */
  readonly separators: readonly string[];
  /** `+` or `00` stands first. */
  readonly isInternational: boolean;
}

export interface ChainGroup extends DigitGroup {
  readonly digits: string;
}

export const digitsMin = 7; // of what is found without a check digit
export const digitsMax = 15; // ITU-T E.164 section 6.1

/** Every chain of a text: maximal, then without what is part of a word, a time or a date, then split where too long. Linear. */
export function* findChains(text: string, groups: readonly DigitGroup[]): Steps<Chain[]> {
  const chains: Chain[] = [];
  for (let first = 0; first < groups.length; ) {
    const members: ChainGroup[] = [];
    const separators: string[] = [];
    for (let group = groups[first]; group !== undefined; group = groups[++first]) {
      if (first % stepSize === 0) yield;
      const before = members.at(-1);
      if (before !== undefined) {
        const separator = text.slice(before.end, group.start);
        if (!isSeparator(separator)) break;
        separators.push(separator);
      }
      members.push({ start: group.start, end: group.end, digits: text.slice(group.start, group.end) });
    }
    if ((members.at(-1)?.end ?? 0) - (members[0]?.start ?? 0) < digitsMin) continue;
    const whole = withoutTimes(text, { ...startOf(text, members, separators), groups: members, separators });
    const clean = whole === undefined ? undefined : withoutGlued(text, whole);
    if (clean === undefined || isAccount(clean)) continue;
    if (members.length > stepSize) yield;
    for (const piece of withoutDates(clean)) {
      for (const short of splitLong(piece, 0)) if (chains.push(short) % stepSize === 0) yield;
    }
  }
  return chains;
}

export function countDigits(chain: Chain): number {
  return chain.groups.reduce((sum, group) => sum + group.digits.length, 0);
}

export function sliceChain(chain: Chain, from: number, to: number): Chain {
  if (from === 0 && to === chain.groups.length) return chain;
  const opening = chain.separators[from - 1]?.endsWith("(") ? 1 : 0;
  return {
    start: from === 0 ? chain.start : (chain.groups[from]?.start ?? 0) - opening,
    groups: chain.groups.slice(from, to),
    separators: chain.separators.slice(from, to - 1),
    isInternational: chain.isInternational && from === 0,
  };
}

/**
 * The end of the digits that follow a number without a space: direct dialling digits, or the rest of a row too long for one number
 * (`+49 171 1234567-8866`). No piece of it is left.
 */
export function tailEnd(text: string, end: number): number {
  let last = end;
  for (let index = end; "-./".includes(text[index] ?? " ") && isDigit(text.charCodeAt(index + 1)); last = index) {
    index++;
    while (isDigit(text.charCodeAt(index))) index++;
  }
  return endsClean(text, last) ? last : end;
}

/** `+49`, `+ 49`, `(+49)`, `+(49)`, `0049`, `(030)`; a `+` after a word or another `+` does not count: `C++11`. */
function startOf(
  text: string,
  groups: readonly ChainGroup[],
  separators: readonly string[],
): { start: number; isInternational: boolean } {
  let start = groups[0]?.start ?? 0;
  let isOpen = /[()]/.exec(separators.join(""))?.[0] === ")"; // closed before another opens
  const takeBracket = () => {
    if (isOpen && text[start - 1] === "(") {
      isOpen = false;
      start--;
    }
  };
  takeBracket();
  const plus = text[start - 1] === " " ? start - 2 : start - 1;
  const hasPlus = text[plus] === "+" && text[plus - 1] !== "+" && startsClean(text, plus);
  if (hasPlus) start = plus;
  takeBracket();
  return { start, isInternational: hasPlus || isAbroad(groups[0]) };
}

/** Spaces and at most one mark, besides brackets: ` `, `-`, ` / `, `) `, ` (0) `, `)-(`. */
function isSeparator(between: string): boolean {
  if (between.length === 1) return " -./()".includes(between);
  return between.length <= 4 && /^ ?(?:[-./]? ?|[-./]? ?\(|\) ?[-./]? ?|\) ?\()$/.test(between);
}

/** An account number as Polish banks write it: `61 1090 1014 0000 0712 1981 2874`. */
function isAccount({ groups }: Chain): boolean {
  return groups.length === 7 && groups.every(({ digits }, index) => digits.length === (index === 0 ? 2 : 4));
}

/** The digits next to a colon belong to a time or a score. */
function withoutTimes(text: string, chain: Chain): Chain | undefined {
  const start = chain.groups[0]?.start ?? 0;
  const end = chain.groups.at(-1)?.end ?? 0;
  const from = text[start - 1] === ":" && isDigit(text.charCodeAt(start - 2)) ? 1 : 0;
  const to = chain.groups.length - (text[end] === ":" && isDigit(text.charCodeAt(end + 1)) ? 1 : 0);
  return from < to ? sliceChain(chain, from, to) : undefined;
}

/** A first or last group that is part of a word (`3pm`, `A4`) goes, if a space parts it; else all of it is a part number. */
function withoutGlued(text: string, chain: Chain): Chain | undefined {
  let from = 0;
  let to = chain.groups.length;
  if (!startsClean(text, chain.groups[0]?.start ?? 0)) {
    if (!chain.separators[0]?.includes(" ")) return undefined;
    from++;
  }
  if (!endsAsNumber(text, chain.groups[to - 1]?.end ?? 0)) {
    if (!chain.separators.at(-1)?.includes(" ")) return undefined;
    to--;
  }
  return from < to ? sliceChain(chain, from, to) : undefined;
}

/** Extensions as ITU-T E.123 section 2.6, RFC 3966 and habit write them: `ext. 12`, `;ext=12`, `x12`, `#12`. */
export function extensionEnd(text: string, end: number): number {
  const match =
    /^[,;]? ?(?:ext(?:ension|\.)?|x|#|durchwahl|dw|poste|anexo|interno|int\.|toestel|ramal)[.:=]? ?\d{1,6}/i.exec(
      text.slice(end, end + 24),
    );
  return match !== null && endsClean(text, end + match[0].length) ? end + match[0].length : end;
}

/** A clean end, or an extension glued on: `555-0199x123`. */
export function endsAsNumber(text: string, end: number): boolean {
  return endsClean(text, end) || extensionEnd(text, end) > end;
}

/** Three groups with one mark that read as a date go, unless the same mark continues: `06.12.34.56.78` is a phone number. */
function withoutDates(chain: Chain): Chain[] {
  if (chain.isInternational) return [chain];
  const pieces: Chain[] = [];
  const { groups, separators } = chain;
  let from = 0;
  for (let index = 0; index + 2 < groups.length; index++) {
    const mark = separators[index] ?? "";
    const isApart = separators[index - 1] !== mark && separators[index + 2] !== mark && separators[index + 1] === mark;
    if (!isApart || !["-", ".", "/"].includes(mark)) continue;
    if (!isDate(groups.slice(index, index + 3).map((group) => group.digits))) continue;
    if (index > from) pieces.push(sliceChain(chain, from, index));
    from = index + 3;
    index += 2;
  }
  if (from < groups.length) pieces.push(sliceChain(chain, from, groups.length));
  return pieces;
}

/** Year, month, day in any of the usual orders (ISO 8601 and the CLDR's short dates). */
export function isDate(parts: readonly string[]): boolean {
  const [first = "", second = "", third = ""] = parts;
  if (second.length > 2 || Number(second) < 1 || Number(second) > 31) return false;
  if (isYear(first)) return third.length <= 2 && Number(third) >= 1 && Number(third) <= 31;
  const isDayOrMonth = first.length <= 2 && Number(first) >= 1 && Number(first) <= 31;
  return isDayOrMonth && (isYear(third) || third.length === 2) && (Number(first) <= 12 || Number(second) <= 12);
}

export function isYear(digits: string): boolean {
  return /^(?:19|20)\d\d$/.test(digits);
}

/** Where a row of numbers is more than one: at a dash or slash among spaces, before a bracket, at spaces, before a trunk zero. */
const splitters: ReadonlyArray<(separator: string, next: string, isMixed: boolean) => boolean> = [
  isStrong,
  (separator, _next, isMixed) => separator === " " && isMixed,
  (separator, next) => separator.includes(" ") && isTrunk(next),
];

function isStrong(separator: string): boolean {
  return separator === " / " || separator === " - " || (separator.startsWith(" ") && separator.endsWith("("));
}

function isTrunk(digits: string): boolean {
  return /^0[1-9]/.test(digits);
}

function* splitLong(chain: Chain, level: number): Generator<Chain> {
  const groupsLength = chain.groups.length;
  if (countDigits(chain) <= digitsMax) {
    yield chain;
    return;
  }
  const head = firstLength(chain, level > 0);
  if (head > 0) {
    yield* splitHeads(chain, head, level);
    return;
  }
  const splitter = splitters[level];
  if (splitter === undefined) {
    yield chain; // nothing parts it
    return;
  }
  const isMixed = chain.separators.some((separator) => separator !== " ");
  let from = 0;
  for (let index = 0; index < chain.separators.length; index++) {
    if (!splitter(chain.separators[index] ?? "", chain.groups[index + 1]?.digits ?? "", isMixed)) continue;
    yield* splitLong(sliceChain(chain, from, index + 1), level + 1);
    from = index + 1;
  }
  yield* splitLong(sliceChain(chain, from, groupsLength), level + 1);
}

/** How many groups of a long chain are a number, if it begins with a calling code or, where nothing stronger parts it, with a trunk zero. */
function firstLength(chain: Chain, mayBeTrunk: boolean): number {
  if (chain.isInternational) return headLength(chain, digitsMax);
  return mayBeTrunk && isTrunk(chain.groups[0]?.digits ?? "") ? headLength(chain, 12) : 0;
}

/** Numbers in a row that each begin with `00` or a trunk zero, one after the other: each would take a round of its own otherwise. Linear. */
function* splitHeads(chain: Chain, first: number, level: number): Generator<Chain> {
  let from = 0;
  for (let length = first; length > 0; ) {
    const isInternational = from === 0 ? chain.isInternational : isAbroad(chain.groups[from]);
    yield { ...sliceChain(chain, from, from + length), isInternational };
    from += length;
    // No number has more groups than digits.
    const groups = chain.groups.slice(from, from + digitsMax + 1);
    const separators = chain.separators.slice(from, from + digitsMax);
    length = firstLength({ ...chain, groups, separators, isInternational: isAbroad(groups[0]) }, level > 0);
  }
  if (from < chain.groups.length) yield* splitLong(sliceChain(chain, from, chain.groups.length), level);
}

function isAbroad(group: ChainGroup | undefined): boolean {
  return /^00[1-9]/.test(group?.digits ?? "");
}

/** How many groups make the first number of a chain: as many as `max` digits allow, fewer where another one seems to start. */
function headLength(chain: Chain, max: number): number {
  let digits = 0;
  for (let index = 0; index < chain.groups.length; index++) {
    const next = chain.groups[index]?.digits ?? "";
    const separator = chain.separators[index - 1] ?? "";
    if (digits > 7 && isStrong(separator)) return index;
    if (digits > 9 && separator.includes(" ") && isTrunk(next)) return index;
    digits += next.length;
    if (digits > max) return index;
  }
  return chain.groups.length;
}
