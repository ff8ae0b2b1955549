import { startsClean } from "./characters.ts";
import { isCounted, isNumbered } from "./counting.ts";
import { ibanLength } from "./iban.ts";
import {
  type Chain,
  countDigits,
  digitsMax,
  digitsMin,
  endsAsNumber,
  extensionEnd,
  findChains,
  isYear,
  sliceChain,
  tailEnd,
} from "./phone-chain.ts";
import { isValidPhone, mayBeDialled } from "./phone-plan.ts";
import { hasPhoneShape, isBook, isDateOrAmount, isSomethingElse, isWholeNumber } from "./phone-shape.ts";
import { hasPhoneWord } from "./phone-words.ts";
import { type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";
import { findUrls } from "./url-credentials.ts";

/**
 * Phone numbers (ITU-T E.164, E.123): what libphonenumber calls valid in the form's country, and what has the shape of a
 * number, because people mistype, and because numbers kept for fiction such as (212) 555-0147 are never valid.
 * libphonenumber sees pieces of at most 15 digits, never the text, so its own matcher's run time does not matter.
 */
export function* findPhoneNumbers(scan: Scan): Steps<void> {
  if (!scan.wants("PHONE_NUMBER")) return;
  const chains = yield* findChains(scan.text, scan.groups);
  yield;
  let covered = 0;
  const isInUrl = chains.length === 0 ? () => false : urlTest(scan.text);
  for (const [index, chain] of chains.entries()) {
    if (index % stepSize === 0) yield;
    if (chain.start < covered || isBook(chain) || isIbanTail(scan.text, chain)) continue;
    const phone = variants(chain).find((variant) => isPhone(scan, variant, isInUrl));
    if (phone === undefined) continue;
    covered = extensionEnd(scan.text, tailEnd(scan.text, endOf(phone)));
    scan.report("PHONE_NUMBER", phone.start, covered, strength.loose);
  }
}

/** The chain, or without a postcode before it, a short number that follows, or a year that precedes: `212 555 0147 2 tickets`. */
function variants(chain: Chain): Chain[] {
  const { groups, separators } = chain;
  const all = [chain];
  if (startsWithPostcode(chain)) all.unshift(sliceChain(chain, 1, groups.length));
  if (separators.at(-1) === " " && (groups.at(-1)?.digits.length ?? 0) <= 2)
    all.push(sliceChain(chain, 0, groups.length - 1));
  if (separators[0]?.includes(" ") && isYear(groups[0]?.digits ?? "")) all.push(sliceChain(chain, 1, groups.length));
  return all;
}

/** `48604 (989) 755-1109`, `92101 619-696-6966`: a number with its own marks, after four or five digits and a space. */
function startsWithPostcode(chain: Chain): boolean {
  const first = chain.groups[0]?.digits ?? "";
  const [separator = "", ...others] = chain.separators;
  if (chain.isInternational || !/^\d{4,5}$/.test(first) || !/^ \(?$/.test(separator)) return false;
  const isMarked = separator === " (" || (others.length > 1 && others.every((other) => other !== " "));
  return isMarked && countDigits(chain) - first.length >= (first.startsWith("0") ? 10 : 9);
}

function isPhone(scan: Scan, chain: Chain, isInUrl: (index: number) => boolean): boolean {
  const { text } = scan;
  const digits = countDigits(chain);
  const least = hasPairs(chain) ? 6 : digitsMin;
  if (digits < least || digits > digitsMax || !mayBegin(text, chain.start) || !endsAsNumber(text, endOf(chain)))
    return false;
  const [first, second] = chain.groups;
  const isPlus = chain.isInternational && chain.start < (first?.start ?? 0);
  // `+48.858370` is a latitude, `+1.2125550147` a number as domain registries write it (RFC 5733 section 2.5).
  if (isPlus) return chain.separators.join() !== "." || (second?.digits.length ?? 0) > 7;
  const isBare = chain.groups.length === 1;
  if (isBare && isCounted(scan, chain.start)) return false;
  const inContext = hasPhoneWord(scan, chain.start, endOf(chain));
  if (!inContext && ((isBare && scan.isFigure) || isDateOrAmount(digitsOf(chain), isBare))) return false;
  const hasShape = hasPhoneShape(chain);
  const mayBeValid = digits > 7 && !isYear(first?.digits ?? "") && mayBeDialled(digitsOf(chain), scan.country, !isBare);
  if (!inContext && ((!hasShape && !mayBeValid) || digits < digitsMin)) return false;
  if (isSomethingElse(scan, chain, inContext)) return false;
  if (inContext) return true;
  if (isInUrl(chain.start) || isNumbered(scan, chain.start)) return false;
  if (hasShape) return true;
  if (!mayBeValid || isCounted(scan, chain.start) || isWholeNumber(chain)) return false;
  return isValidPhone(text.slice(chain.start, endOf(chain)), scan.country);
}

/** A bracket parts a number from a word: `Tel(0171)1234567`. */
function mayBegin(text: string, start: number): boolean {
  return startsClean(text, start) || text[start] === "(";
}

/** `33 93 31`, as short numbers of small countries and towns are written; only next to a word for them. */
function hasPairs({ groups, separators }: Chain): boolean {
  return separators.join("") === "  " && groups.every(({ digits }) => digits.length === 2);
}

/** In the path of an address of the web stand numbers of articles and posts; `https://wa.me/…` and `?phone=` say otherwise. */
function urlTest(text: string): (index: number) => boolean {
  const urls = findUrls(text).filter(({ start, end }) => /:\/\/|www\./.test(text.slice(start, end)));
  let next = 0;
  return (index) => {
    while ((urls[next]?.end ?? Number.POSITIVE_INFINITY) <= index) next++;
    return (urls[next]?.start ?? Number.POSITIVE_INFINITY) < index;
  };
}

/** The rest of a mistyped IBAN, or of a French VAT number: `CR05 0152 0200 1026 2840`, `FR83 404 833 048`. */
function isIbanTail(text: string, chain: Chain): boolean {
  const before = text.slice(Math.max(0, chain.start - 40), chain.start);
  if (!before.endsWith(" ") || !/[A-Z]{2}\d\d/.test(before)) return false;
  const tokens = before.split(" ");
  tokens.pop();
  const from = tokens.findLastIndex((token) => ibanLength(token) !== undefined);
  if (from === -1) return false;
  const isGrouped = tokens.slice(from + 1).every((token) => token === "" || /^[\dA-Z]{4}$/.test(token));
  const lengths = chain.groups.map((group) => group.digits.length);
  return isGrouped && (lengths[0] === 4 || (tokens[from]?.startsWith("FR") === true && lengths.join("") === "333"));
}

function digitsOf(chain: Chain): string {
  return chain.groups.map((group) => group.digits).join("");
}

function endOf(chain: Chain): number {
  return chain.groups.at(-1)?.end ?? chain.start;
}
