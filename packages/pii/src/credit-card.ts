import { endsClean, startsClean } from "./characters.ts";
import { areAllEqual, passesLuhn } from "./checksums.ts";
import { type Scan, strength } from "./scan.ts";

/** First digits and lengths: the issuer identification numbers of ISO/IEC 7812-1 as the schemes publish them. */
const issuers: ReadonlyArray<readonly [firstDigits: RegExp, lengthMin: number, lengthMax: number]> = [
  [/^4/, 13, 13], // Visa
  [/^4/, 16, 16],
  [/^4/, 19, 19],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 16, 16], // Mastercard
  [/^3[47]/, 15, 15], // American Express
  [/^3[0689]/, 14, 19], // Diners Club
  [/^35/, 16, 19], // JCB; RuPay, LankaPay
  [/^(?:62|8[12])/, 16, 19], // UnionPay; RuPay
  [/^(?:5[06-8]|6)/, 12, 19], // Maestro; Discover, RuPay, Troy, Verve, Elo, Dankort, InterPayment within it
  [/^220[0-5]/, 16, 19], // Mir, Borica
  [/^(?:9792|8600|9860)/, 16, 16], // Troy, Uzcard, Humo
  [/^1/, 15, 15], // UATP
];

/** Payment card numbers: 12 to 19 digits that pass Luhn and have an issuer's first digits and length, in groups or not. */
export function findCreditCards(scan: Scan): void {
  const { text, groups } = scan;
  if (!scan.wants("CREDIT_CARD")) return;
  for (let first = 0; first < groups.length; first++) {
    const start = groups[first]?.start ?? 0;
    if (!startsClean(text, start)) continue;
    let digits = "";
    let separator: string | undefined;
    // At most 19 groups from each start: linear.
    for (let index = first; index < groups.length; index++) {
      const group = groups[index];
      const previous = groups[index - 1];
      if (group === undefined) break;
      if (index > first && previous !== undefined) {
        const between = text.slice(previous.end, group.start);
        if ((between !== " " && between !== "-") || (separator !== undefined && between !== separator)) break;
        separator = between;
      }
      if (group.end - group.start + digits.length > 19) break;
      digits += text.slice(group.start, group.end);
      if (digits.length < 12 || !endsClean(text, group.end) || !isCard(digits)) continue;
      if (isGroupedAsCard(scan, first, index, separator))
        scan.report("CREDIT_CARD", start, group.end, strength.checksum);
    }
  }
}

export function isCard(digits: string): boolean {
  const { length } = digits;
  const hasIssuer = issuers.some(
    ([firstDigits, min, max]) => length >= min && length <= max && firstDigits.test(digits),
  );
  return hasIssuer && !areAllEqual(digits) && passesLuhn(digits);
}

/** Any grouping if nothing follows or precedes with the same separator; inside a longer row of numbers it must start as cards do. */
function isGroupedAsCard(scan: Scan, first: number, last: number, separator: string | undefined): boolean {
  const { text, groups } = scan;
  const start = groups[first];
  const end = groups[last];
  if (start === undefined || end === undefined) return false;
  const length = start.end - start.start;
  if (separator === undefined || length === 4 || length === 6) return true;
  const before = groups[first - 1];
  const after = groups[last + 1];
  const isAlone = before === undefined || text.slice(before.end, start.start) !== separator;
  return isAlone && (after === undefined || text.slice(end.end, after.start) !== separator);
}
