import { endsClean, isDigit, startsClean } from "./characters.ts";
import { areAllEqual, passesLuhn } from "./checksums.ts";
import { type DigitGroup, hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

/** First digits and lengths: the issuer identification numbers of ISO/IEC 7812-1 as the schemes publish them. */
const issuers: ReadonlyArray<readonly [firstDigits: RegExp, lengthMin: number, lengthMax: number]> = [
  [/^4/, 13, 13], // Visa
  [/^4/, 16, 16],
  [/^4/, 19, 19],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 16, 16], // Mastercard
  [/^3[47]/, 15, 15], // American Express
  [/^3[0689]/, 14, 19], // Diners Club
  [/^35/, 16, 19], // JCB; RuPay, LankaPay
  [/^(?:2131|1800)/, 15, 15], // JCB, before 1989
  [/^(?:62|8[12])/, 16, 19], // UnionPay; RuPay
  [/^(?:5[06-8]|6)/, 12, 19], // Maestro; Discover, RuPay, Troy, Verve, Elo, Dankort, InterPayment within it
  [/^220[0-5]/, 16, 19], // Mir, Borica
  [/^(?:9792|8600|9860)/, 16, 16], // Troy, Uzcard, Humo
  [/^1/, 15, 15], // UATP
];

const cardWords = new Set(
  "card,creditcard,visa,mastercard,amex,maestro,diners,discover,karte,kreditkarte,kreditkartennummer,kartennummer,carte,tarjeta,carta,kaart,kaartnummer,cartao".split(
    ",",
  ),
);

/** Payment card numbers: 12 to 19 digits that pass Luhn and have an issuer's first digits and length, in groups or not. */
export function* findCreditCards(scan: Scan): Steps<void> {
  const { text, groups } = scan;
  if (!scan.wants("CREDIT_CARD")) return;
  for (const [index, group] of groups.entries()) {
    if (index % stepSize === 0) yield;
    if (startsClean(text, group.start) && mayStart(scan, group)) findFrom(scan, index);
  }
}

/** Inside a row of numbers with one separator, a card must start as cards do; a number by itself may have any groups. */
function mayStart({ text }: Scan, { start, end }: DigitGroup): boolean {
  if (isCardGroup({ start, end }) || end - start > 11) return true;
  return text[start - 1] !== text[end] || !isDigit(text.charCodeAt(start - 2));
}

/** Reads at most 19 digits and their separators. */
function findFrom(scan: Scan, first: number): void {
  const { text, groups } = scan;
  const start = groups[first]?.start ?? 0;
  const startsAsCard = isCardGroup(groups[first]);
  let digits = "";
  let separator: string | undefined;
  for (let index = first; index < groups.length; index++) {
    const group = groups[index];
    if (group === undefined || digits.length + group.end - group.start > 19) return;
    digits += text.slice(group.start, group.end);
    const next = text[group.end];
    const isWhole =
      startsAsCard || separator === undefined || next !== separator || !isDigit(text.charCodeAt(group.end + 1));
    if (digits.length > 11 && isWhole && endsClean(text, group.end)) {
      if (isCard(digits)) scan.report("CREDIT_CARD", start, group.end, strength.checksum);
      else if (!isGroup(groups[index + 1], group.end + 1) && isMistyped(scan, start, digits))
        scan.report("CREDIT_CARD", start, group.end, strength.shape);
    }
    if (!isGroup(groups[index + 1], group.end + 1) || (next !== " " && next !== "-") || next !== (separator ?? next))
      return;
    separator = next;
  }
}

function isGroup(group: DigitGroup | undefined, start: number): boolean {
  return group?.start === start;
}

/** After a word for a card, what is as long as one counts without a check digit: a slip of the finger is personal too. */
function isMistyped(scan: Scan, start: number, digits: string): boolean {
  return hasContext(scan, start, cardWords) && !areAllEqual(digits);
}

function isCardGroup(group: DigitGroup | undefined): boolean {
  const length = group === undefined ? 0 : group.end - group.start;
  return length === 4 || length === 6;
}

export function isCard(digits: string): boolean {
  const { length } = digits;
  const hasIssuer = issuers.some(
    ([firstDigits, min, max]) => length >= min && length <= max && firstDigits.test(digits),
  );
  return hasIssuer && !areAllEqual(digits) && passesLuhn(digits);
}
