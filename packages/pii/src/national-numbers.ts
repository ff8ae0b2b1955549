import { endsClean, startsClean, wordAt } from "./characters.ts";
import { areAllEqual, passesLuhn, passesVerhoeff, weightedSum } from "./checksums.ts";
import { hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";
import type { PiiType } from "./types.ts";

interface Rule {
  readonly type: PiiType;
  /** The whole of a candidate: what may be written between boundaries. */
  readonly form: RegExp;
  /** Tests what is left without separators, in upper case. */
  readonly check?: (characters: string) => boolean;
  /** Without a check digit, a word of these must stand before, or in the field's name. */
  readonly words?: ReadonlySet<string>;
}

const words = (list: string) => new Set(list.split(","));
const passport = words(
  "passport,passports,passeport,reisepass,reisepassnummer,pass,pasaporte,passaporto,paspoort,passaporte",
);

/** The opt-in identifiers, each by the rule of the body that issues it. US driver's licences are not here: fifty bodies, no one rule. */
const rules: readonly Rule[] = [
  // 45 CFR 162.406; CMS, "Requirements for NPI check digit": Luhn over 80840 and ten digits that start with 1 or 2.
  { type: "US_NPI", form: /^[12]\d{9}/, check: (digits) => passesLuhn(`80840${digits}`) },
  // CMS, "Understanding the Medicare Beneficiary Identifier format": eleven characters, without S L O I B Z.
  {
    type: "US_MBI",
    form: /^[1-9][AC-HJKMNP-RT-Y][\dAC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][\dAC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y]{2}\d\d/i,
    words: words("medicare,mbi,beneficiary"),
  },
  // American Bankers Association, routing number policy: nine digits, ranges of Federal Reserve districts, weights 3 7 1.
  {
    type: "US_ABA",
    form: /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}/,
    check: (digits) => weightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0 && !areAllEqual(digits),
  },
  // US Department of State: nine digits, or since 2021 a letter and eight digits.
  { type: "US_PASSPORT", form: /^[\dA-Z]\d{8}/i, words: passport },
  // HM Passport Office: nine digits.
  { type: "UK_PASSPORT", form: /^\d{9}/, words: passport },
  // DVLA: five of the surname filled with 9s, decade, month (+50 for women), day, year, two initials, and three more.
  {
    type: "UK_DRIVING_LICENCE",
    form: /^[A-Z9]{5} ?\d(?:[05][1-9]|[16][0-2])(?:0[1-9]|[12]\d|3[01])\d ?[A-Z9]{2}[\dA-Z] ?[A-Z]{2}/i,
    words: words("driving,driver,drivers,licence,license,dvla"),
  },
  // Employment and Social Development Canada: nine digits, Luhn, none starts with 0 or 8.
  {
    type: "CA_SIN",
    form: /^[1-79]\d\d([ -]?)\d{3}\1\d{3}/,
    check: (digits) => passesLuhn(digits) && !areAllEqual(digits),
  },
  // Australian Taxation Office: nine digits, weights 1 4 3 7 5 8 6 9 10, modulus 11.
  {
    type: "AU_TFN",
    form: /^\d{3}([ -]?)\d{3}\1\d{3}/,
    check: (digits) => weightedSum(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 && !areAllEqual(digits),
  },
  // UIDAI, Aadhaar numbering scheme: twelve digits, the first not 0 or 1, Verhoeff.
  {
    type: "IN_AADHAAR",
    form: /^[2-9]\d{3}([ -]?)\d{4}\1\d{4}/,
    check: (digits) => passesVerhoeff(digits) && !areAllEqual(digits),
  },
  // Polish population registration act of 24 September 2010, article 15: birth date with the century in the month, weights 1 3 7 9.
  {
    type: "PL_PESEL",
    form: /^\d\d(?:[02468][1-9]|[13579][0-2])(?:0[1-9]|[12]\d|3[01])\d{5}/,
    check: (digits) => weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  },
  // Skatteverket, SKV 704 and 707: birth date (day + 60 in a co-ordination number), Luhn over the last ten digits.
  {
    type: "SE_PERSONNUMMER",
    form: /^(?:1[89]|20)?\d\d(?:0[1-9]|1[0-2])(?:[06][1-9]|[1278]\d|[39][01])[-+]?\d{4}/,
    check: (digits) => passesLuhn(digits.slice(-10)),
  },
  // Spanish royal decree 1553/2005 and order EHA/451/2008: the letter is the number modulo 23.
  { type: "ES_NIF", form: /^\d{8}[ -]?[A-HJ-NP-TV-Z]/i, check: hasSpanishLetter },
  {
    type: "ES_NIE",
    form: /^[XYZ][ -]?\d{7}[ -]?[A-HJ-NP-TV-Z]/i,
    check: (text) => hasSpanishLetter("XYZ".indexOf(text[0] ?? "") + text.slice(1)),
  },
  // Italian ministerial decree of 23 December 1976, articles 2 to 6: digits may be letters where two people would share a code.
  {
    type: "IT_FISCAL_CODE",
    form: /^[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]/i,
    check: hasItalianLetter,
  },
];
const lengthMax = 24;

/** Looks at each place where a word starts, once for each rule that is wanted; every form is bounded. */
export function* findNationalNumbers(scan: Scan): Steps<void> {
  const { text } = scan;
  const wanted = rules.filter((rule) => scan.wants(rule.type));
  if (wanted.length === 0) return;
  let looked = 0;
  for (let start = 0; start < text.length; start++) {
    if (wordAt(text, start) === 0 || !startsClean(text, start)) continue;
    if (++looked % stepSize === 0) yield;
    for (const { type, form, check, words: context } of wanted) {
      const match = form.exec(text.slice(start, start + lengthMax));
      if (match === null) continue;
      const end = start + match[0].length;
      const continues = /^[-.]\d/.test(text.slice(end, end + 2));
      if (continues || !endsClean(text, end) || (context !== undefined && !hasContext(scan, start, context))) continue;
      const passes = check?.(match[0].replace(/[^\da-z]/gi, "").toUpperCase()) ?? true;
      if (passes) scan.report(type, start, end, check === undefined ? strength.shape : strength.checksum);
    }
  }
}

function hasSpanishLetter(characters: string): boolean {
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(characters.slice(0, 8)) % 23] === characters[8];
}

/** Article 12: characters in odd places are worth what the table says, those in even places their place in the alphabet. */
function hasItalianLetter(code: string): boolean {
  const odd = "BAKPLCQDREVOSFTGUHMINJWZYX";
  let sum = 0;
  for (let index = 0; index < 15; index++) {
    const value = Number.parseInt(code[index] ?? "", 36);
    const place = value < 10 ? value : value - 10;
    sum += index % 2 === 0 ? odd.indexOf(String.fromCharCode(65 + place)) : place;
  }
  return code.charCodeAt(15) - 65 === sum % 26;
}
