import { isDigit, wordAt, wordBefore } from "./characters.ts";
import { isIsbn13 } from "./checksums.ts";
import { type Chain, countDigits, isYear } from "./phone-chain.ts";
import { hasPhoneWordAfter } from "./phone-words.ts";
import type { Scan } from "./scan.ts";
import { hasVersionWord } from "./version-words.ts";

const currency = /[€$£¥₹₽₺₩%‰°]/u;
const currencyCode = /^ ?(?:EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|JPY|kr|euros?|dollars?|pounds|Fr\.|zł|Kč|Mio|Mrd)\b/i;

/** An ISBN, with hyphens, spaces or neither. */
export function isBook(chain: Chain): boolean {
  return isIsbn13(chain.groups.map((group) => group.digits).join(""));
}

/** Text with as many digits as a phone number that is a price, a decimal, a date, an address, a part number or an ISBN. */
export function isSomethingElse(scan: Scan, chain: Chain, inContext: boolean): boolean {
  const { text } = scan;
  const start = chain.start;
  const end = chain.groups.at(-1)?.end ?? start;
  const lengths = chain.groups.map((group) => group.digits.length);
  const kinds = new Set(chain.separators);
  const isDotted = kinds.size === 1 && kinds.has(".");
  if (isDotted && isVersion(scan, chain, inContext)) return true;
  const isLocal = inContext && lengths.join("-") === "3-4"; // call 555.0147
  if (isPrice(text, start, end) || (isFraction(text, chain, isDotted) && !isLocal)) return true;
  if (text[start - 1] === "-" && wordBefore(text, start - 1) > 0 && !inContext) return true;
  if (hasPhoneWordAfter(text, end)) return isYears(chain);
  if (text[end] === "-" && wordAt(text, end + 1) > 0 && (lengths.length === 1 || wordAt(text, end + 2) === 0))
    return true;
  if (
    !inContext &&
    (isDecimalPair(chain) || chain.separators.filter((separator) => separator.includes("/")).length > 2)
  )
    return true;
  return isYears(chain);
}

/** `2019-2024`, and of other centuries `1580-1660`. */
function isYears({ groups, separators }: Chain): boolean {
  if (groups.every((group) => isYear(group.digits))) return true;
  return separators.join() === "-" && groups.every((group) => /^(?:1\d|20)\d\d$/.test(group.digits));
}

/** `0.1171 (0.0022)`, `11.71 (10.22)`: a decimal with its error in brackets. */
function isDecimalPair({ groups, separators }: Chain): boolean {
  const dot = separators.indexOf(".");
  return (
    dot !== -1 &&
    (groups[dot]?.digits === "0" || separators.some((separator, index) => index > dot && separator.includes("(")))
  );
}

/**
 * A dotted row that is a version or an address: after a word for one, with a group that is a lone `0`, or of more than three groups. The
 * numbers written so begin with a trunk zero (`06.12.34.56.78`) or with 1 (`1.212.555.0147`); a word for phone lets pairs be one.
 */
function isVersion(scan: Scan, { groups, start, isInternational }: Chain, inContext: boolean): boolean {
  if (hasVersionWord(scan, start) || groups.some((group) => group.digits === "0")) return true;
  const shape = groups.map((group) => group.digits.length).join("");
  if (groups.length < 4 || isInternational || /^0[1-9]/.test(groups[0]?.digits ?? "")) return false;
  return shape !== "1334" && !(inContext && /^2+$/.test(shape));
}

/** The shapes that people write national numbers in; what else has as many digits is left to libphonenumber. */
export function hasPhoneShape(chain: Chain): boolean {
  const [first = ""] = chain.groups.map((group) => group.digits);
  const count = countDigits(chain);
  if (chain.groups.length === 1) return isBareShape(first);
  if (isYear(first)) return false;
  // `(37) 788-063`: a bracket first makes eight digits enough.
  const startsInBracket = !chain.isInternational && chain.start < (chain.groups[0]?.start ?? 0);
  if (count < (startsInBracket && first.length > 1 && first.length < 5 ? 8 : 9)) return false;
  const hasBracket = chain.separators.some((separator) => /[()]/.test(separator));
  if (chain.isInternational || hasBracket) return true;
  const hasTrunk = /^0[1-9]\d{0,4}$/.test(first);
  if (chain.groups.length === 2) return hasTrunk && count < 13 && chain.separators[0] !== "." && !isZip(chain);
  return isGroupedShape(chain, hasTrunk);
}

/** Without separators or a word before it, only what starts as mobile numbers do (FR, NL 06; UK 07; DE 015–017), or `00`. */
function isBareShape(digits: string): boolean {
  return /^(?:06\d{8}|07\d{8,9}|01[567]\d{8,9}|00[1-9]\d{9,12})$/.test(digits);
}

function isGroupedShape(chain: Chain, hasTrunk: boolean): boolean {
  const lengths = chain.groups.map((group) => group.digits.length);
  const shape = lengths.join("-");
  const kinds = new Set(chain.separators);
  if (kinds.has(".") && kinds.size > 1) return false; // coordinates
  if (isWholeNumber(chain)) return false;
  if (lengths.filter((length) => length === 1).length > 1) return false; // ISBN, scores
  if (lengths.at(-1) === 1 && !hasTrunk) return false;
  if (kinds.has(".") && lengths[0] === 1 && chain.groups[0]?.digits !== "1") return false; // versions
  if (lengths.filter((length) => length > 5).length > 1) return false; // EAN as 1-6-6
  if (/^(?:3-2-4|4-4-4|4-6-5)$/.test(shape)) return false; // SSN, codes, a card
  if (shape === "3-3-3" && !kinds.has("-") && /^[1-4]/.test(chain.groups[0]?.digits ?? "")) return false; // Spain, Portugal, Poland: 5 to 9
  if (/^2(?:-2)+$/.test(shape) && lengths.length > 5) return false; // a row of bytes
  if (shape === "3-3-3" && kinds.has(".") && Number(chain.groups[0]?.digits) < 256) return false; // an IP address cut short
  if (hasTrunk) return true;
  const [length = 0] = lengths;
  const isRow = lengths.every((other) => other === length) && (length === 2 || lengths.length > 3);
  const isRanges = /^(?:-, ,)+-$/.test(chain.separators.join());
  return !isRow && !isRanges;
}

/** ZIP+4 of New England: `02110-1301`. */
function isZip(chain: Chain): boolean {
  return chain.separators[0] === "-" && chain.groups[0]?.digits.length === 5 && chain.groups[1]?.digits.length === 4;
}

/** Digits that are a date (`20241126`, `26 11 2024`, with hours and minutes too) or, without marks, a sum in thousands (`12500000`). */
export function isDateOrAmount(digits: string, isBare: boolean): boolean {
  return compactDate.test(digits) || (isBare && digits.endsWith("000") && !digits.startsWith("0"));
}

/** ISO 8601 section 5.2.1, and day, month and year in the orders of the CLDR's short formats. */
const compactDate =
  /^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])(?:[0-5]\d){0,2})?|(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?:19|20)\d\d)$/;

/** Digits in threes from the right: `1 234 567 890`, `100 000 000`. Three threes may be a number of Spain, Portugal or Poland. */
export function isWholeNumber(chain: Chain): boolean {
  const [first = "", ...others] = chain.groups.map((group) => group.digits);
  if (others.length < 2 || first.startsWith("0") || !others.every((digits) => digits.length === 3)) return false;
  if (new Set(chain.separators).size > 1 || chain.separators.includes("-")) return false;
  return first.length < 3 || others.slice(-2).join("") === "000000";
}

function isPrice(text: string, start: number, end: number): boolean {
  const before = text[start - 1] === " " ? text[start - 2] : text[start - 1];
  const after = text[end] === " " ? text[end + 1] : text[end];
  return currency.test(before ?? "") || currency.test(after ?? "") || currencyCode.test(text.slice(end, end + 12));
}

/** `1.234.567,89` and `0,123456789`; `3.14159265` and coordinates. */
function isFraction(text: string, chain: Chain, isDotted: boolean): boolean {
  const end = chain.groups.at(-1)?.end ?? 0;
  if (isDotted && chain.groups.length === 2) return true;
  if (text[chain.start - 1] === "," && isDigit(text.charCodeAt(chain.start - 2))) return chain.separators.length === 0;
  if (text[end] !== "," || !isDigit(text.charCodeAt(end + 1))) return false;
  return (
    chain.separators.every((separator) => separator === "." || separator === " ") &&
    !/^,\d{4}/.test(text.slice(end, end + 5))
  );
}
