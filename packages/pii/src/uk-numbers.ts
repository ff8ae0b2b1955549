import { endsClean, isAsciiLetter, isDigit, startsClean } from "./characters.ts";
import { areAllEqual, weightedSum } from "./checksums.ts";
import { isCounted } from "./counting.ts";
import { isValidPhone } from "./phone-plan.ts";
import { type DigitGroup, hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

const insuranceWords = new Set(["nino", "ni", "insurance"]);
const healthWords = new Set(["nhs", "chi", "hsc"]);

/**
 * UK_NINO: two letters, six digits, one letter A–D (HMRC, National Insurance Manual NIM39110): first letter not D F I Q U V, second
 * also not O, and not BG GB KN NK NT TN ZZ. Single spaces or hyphens by pairs or threes.
 */
const ninoPattern =
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?(?:\d\d[ -]?\d\d[ -]?\d\d|\d{3}[ -]\d{3})[ -]?[A-D]/i;

export function* findUkNumbers(scan: Scan): Steps<void> {
  if (scan.wants("UK_NINO")) yield* findNinos(scan);
  if (scan.wants("UK_NHS")) yield* findNhsNumbers(scan);
}

function* findNinos(scan: Scan): Steps<void> {
  const { text } = scan;
  let looked = 0;
  for (let start = 0; start + 8 < text.length; start++) {
    if (!isAsciiLetter(text.charCodeAt(start)) || !startsClean(text, start)) continue;
    if (++looked % stepSize === 0) yield;
    const match = ninoPattern.exec(text.slice(start, start + 13));
    if (match === null || !endsClean(text, start + match[0].length)) continue;
    // "at 123456 a head" is a sentence.
    const isProse = /^[a-z]{2} \d{6} [a-d]$/.test(match[0]) && !hasContext(scan, start, insuranceWords);
    if (!isProse) scan.report("UK_NINO", start, start + match[0].length, strength.shape);
  }
}

/**
 * UK_NHS: ten digits, bare or 3-3-4, modulus 11 (NHS Data Dictionary, NHS NUMBER). Bare and without a word for it, only of a range in use, because an
 * ISBN-10 has the same check: England, Wales and the Isle of Man 400–499 and 600–799 (999 for tests); Northern Ireland 320–399; Scotland's
 * CHI number, which begins with a date of birth (day, month, year).
 */
function* findNhsNumbers(scan: Scan): Steps<void> {
  const { groups } = scan;
  for (const [index, group] of groups.entries()) {
    if (index % stepSize === 0) yield;
    const last = group.end - group.start === 3 ? groups[index + 2] : group;
    if (last !== undefined && isNhsNumberBetween(scan, group, last))
      scan.report("UK_NHS", group.start, last.end, strength.checksum);
  }
}

function isNhsNumberBetween(scan: Scan, { start }: DigitGroup, { end }: DigitGroup): boolean {
  const { text } = scan;
  if (end - start > 12 || !startsClean(text, start) || !endsClean(text, end)) return false;
  const written = text.slice(start, end);
  const digits = written.replace(/[ -]/g, "");
  if (!/^(?:\d{10}|\d{3}([ -])\d{3}\1\d{4})$/.test(written) || !isNhsNumber(digits)) return false;
  if (text[start - 1] === "+") return false;
  if (!hasContext(scan, start, healthWords)) {
    if (isCounted(scan, start) || (written.length === 10 && !mayBeBare(scan, digits))) return false;
    // A number of the country's telephones is one.
    if (scan.wants("PHONE_NUMBER") && scan.country !== "GB" && isValidPhone(written, scan.country)) return false;
  }
  const isLongerRun = text[end] === "-" && isDigit(text.charCodeAt(end + 1));
  return !isLongerRun;
}

export function isNhsNumber(digits: string): boolean {
  return weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 && !areAllEqual(digits);
}

/** Bare and without a word only in a form of the United Kingdom, or of no country, which is read as the US; never typed as a number. */
function mayBeBare(scan: Scan, digits: string): boolean {
  return !scan.isFigure && ["GB", "US"].includes(scan.country) && isInUse(digits);
}

function isInUse(digits: string): boolean {
  return /^(?:[467]|999|3[2-9]|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2]))/.test(digits);
}
