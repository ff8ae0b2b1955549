import { endsClean, isAsciiLetter, isDigit, startsClean } from "./characters.ts";
import { areAllEqual, weightedSum } from "./checksums.ts";
import { isCounted } from "./counting.ts";
import { isValidPhone } from "./phone-plan.ts";
import { hasContext, type Scan, strength } from "./scan.ts";

const insuranceWords = new Set(["nino", "ni", "insurance"]);
const healthWords = new Set(["nhs", "chi", "hsc"]);

/**
 * UK_NINO: two letters, six digits, one letter A–D (HMRC, National Insurance Manual NIM39110): first letter not D F I Q U V, second
 * also not O, and not BG GB KN NK NT TN ZZ. Single spaces or hyphens by pairs.
 */
const ninoPattern =
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d\d[ -]?\d\d[ -]?\d\d[ -]?[A-D]/i;

export function findUkNumbers(scan: Scan): void {
  if (scan.wants("UK_NINO")) findNinos(scan);
  if (scan.wants("UK_NHS")) findNhsNumbers(scan);
}

function findNinos(scan: Scan): void {
  const { text } = scan;
  for (let start = 0; start + 8 < text.length; start++) {
    if (!isAsciiLetter(text.charCodeAt(start)) || !startsClean(text, start)) continue;
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
function findNhsNumbers(scan: Scan): void {
  const { text, groups } = scan;
  groups.forEach((group, index) => {
    const last = group.end - group.start === 3 ? groups[index + 2] : group;
    if (
      last === undefined ||
      last.end - group.start > 12 ||
      !startsClean(text, group.start) ||
      !endsClean(text, last.end)
    )
      return;
    const written = text.slice(group.start, last.end);
    const digits = written.replace(/[ -]/g, "");
    if (!/^(?:\d{10}|\d{3}([ -])\d{3}\1\d{4})$/.test(written) || !isNhsNumber(digits)) return;
    if (text[group.start - 1] === "+") return;
    if (!hasContext(scan, group.start, healthWords)) {
      if (isCounted(scan, group.start) || (written.length === 10 && !isInUse(digits))) return;
      // A number of the country's telephones is one.
      if (scan.wants("PHONE_NUMBER") && scan.country !== "GB" && isValidPhone(written, scan.country)) return;
    }
    const isLongerRun = text[last.end] === "-" && isDigit(text.charCodeAt(last.end + 1));
    if (!isLongerRun) scan.report("UK_NHS", group.start, last.end, strength.checksum);
  });
}

export function isNhsNumber(digits: string): boolean {
  return weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 && !areAllEqual(digits);
}

function isInUse(digits: string): boolean {
  return /^(?:[467]|999|3[2-9]|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2]))/.test(digits);
}
