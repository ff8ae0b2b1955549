import { endsClean, isAsciiLetter, isDigit, startsClean } from "./characters.ts";
import { remainder97 } from "./checksums.ts";
import { hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

/** Length by country: the SWIFT IBAN registry (ISO 13616), release 99, and the countries that use the form without being in it. */
const lengths = new Map(
  (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18" +
    "GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15" +
    "OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30" +
    "AO25BF28BJ28CF27CG27CI28CM27CV25DZ26GA27GQ27GW25IR26KM27MA28MG27ML28MZ25NE28SN28TD27TG28"
  )
    .match(/.{4}/g)
    ?.map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const ibanWords = new Set(["iban", "ibans", "ibannumber"]);

const accountWords = new Set("iban,konto,konta,rachunek,rachunku,nrb,account".split(","));

/**
 * The length of an IBAN whose first four characters these are, if they can be: even one that is mistyped is no phone number.
 */
export function ibanLength(start: string): number | undefined {
  return /^[A-Z]{2}\d\d$/.test(start) ? lengths.get(start.slice(0, 2)) : undefined;
}

/**
 * IBANs: a country of the registry, exactly its length (so that the next word is not eaten), mod 97 = 1. Written in any case,
 * with single spaces or hyphens anywhere. Each start reads at most 34 characters and their separators: linear.
 */
export function* findIbans(scan: Scan): Steps<void> {
  const { text } = scan;
  if (!scan.wants("IBAN_CODE")) return;
  yield* findPolishAccounts(scan);
  let looked = 0;
  for (let start = 0; start + 14 < text.length; start++) {
    if (
      !isAsciiLetter(text.charCodeAt(start)) ||
      !isAsciiLetter(text.charCodeAt(start + 1)) ||
      !startsClean(text, start)
    )
      continue;
    if (++looked % stepSize === 0) yield;
    const length = lengths.get(text.slice(start, start + 2).toUpperCase());
    if (length === undefined) continue;
    const end = endOf(text, start, length);
    if (end === undefined || !endsClean(text, end)) continue;
    const characters = text.slice(start, end).replace(/[ -]/g, "").toUpperCase();
    if (!/^..\d\d/.test(characters)) continue;
    if (remainder97(characters) === 1) scan.report("IBAN_CODE", start, end, strength.checksum);
    // After its word, one with a slip of the finger counts too.
    else if (hasContext(scan, start, ibanWords)) scan.report("IBAN_CODE", start, end, strength.shape);
  }
}

/**
 * Polish account numbers without the country (NRB: Narodowy Bank Polski, regulation 15/2010): 26 digits, bare or as 2 and six times 4 with single
 * spaces or hyphens, with the check digits of the IBAN that they are part of; after a word for an account, without.
 */
function* findPolishAccounts(scan: Scan): Steps<void> {
  const { text, groups } = scan;
  for (const [index, { start, end }] of groups.entries()) {
    if (index % stepSize === 0) yield;
    if ((end - start !== 2 && end - start !== 26) || !startsClean(text, start) || text[start - 1] === "-") continue;
    const match = /^(?:\d{26}|\d\d([ -])\d{4}(?:\1\d{4}){5})(?![ -]?\d)/.exec(text.slice(start, start + 34));
    if (match === null || !endsClean(text, start + match[0].length)) continue;
    const isValid = remainder97(`PL${match[0].replace(/[ -]/g, "")}`) === 1;
    if (isValid || hasContext(scan, start, accountWords))
      scan.report("IBAN_CODE", start, start + match[0].length, isValid ? strength.checksum : strength.shape);
  }
}

/** Where `length` letters and digits from `start` end, if nothing but single separators stands between them. */
function endOf(text: string, start: number, length: number): number | undefined {
  let count = 0;
  for (let index = start; ; index++) {
    const code = text.charCodeAt(index);
    if (isDigit(code) || isAsciiLetter(code)) {
      if (++count === length) return index + 1;
    } else if ((code !== 32 && code !== 45) || isSeparator(text, index - 1)) return undefined;
  }
}

function isSeparator(text: string, index: number): boolean {
  return text[index] === " " || text[index] === "-";
}
