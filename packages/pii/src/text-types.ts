import { endsClean, startsClean, wordAt, wordBefore } from "./characters.ts";
import { isDate } from "./phone-chain.ts";
import { hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";
import { findUrls } from "./url-credentials.ts";

const postcodeWords = new Set(
  "zip,zipcode,postcode,postcodes,postal,postalcode,plz,postleitzahl,cp,codepostal,postale,cap,cep,postcodegebied".split(
    ",",
  ),
);

/** The opt-in types that are no numbers of a register: URL, DATE, POSTCODE. */
export function* findTexts(scan: Scan): Steps<void> {
  if (scan.wants("URL")) yield* findWholeUrls(scan);
  if (scan.wants("DATE")) yield* findDates(scan);
  if (scan.wants("POSTCODE")) yield* findPostcodes(scan);
}

/** Absolute URLs (RFC 3986 section 4.3) and `www.` hosts, without the sentence's punctuation after them. */
function* findWholeUrls(scan: Scan): Steps<void> {
  const { text } = scan;
  let looked = 0;
  for (const run of findUrls(text)) {
    if (++looked % stepSize === 0) yield;
    const match = /[a-z][\w+.-]{0,31}:\/\/|www\./i.exec(text.slice(run.start, run.end));
    if (match === null) continue;
    const start = run.start + match.index;
    let end = run.end;
    while (end > start && text[end - 1] !== "/" && wordBefore(text, end) === 0) end--;
    if (end > start + match[0].length) scan.report("URL", start, end, strength.shape);
  }
}

/** Calendar dates: ISO 8601 section 5.2.2, and day, month and year in figures in the orders of the Unicode CLDR's short formats. */
function* findDates(scan: Scan): Steps<void> {
  const { text, groups } = scan;
  for (let index = 0; index < groups.length; index++) {
    if (index % stepSize === 0) yield;
    const start = groups[index]?.start ?? 0;
    const match = /^(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?!\d|\2\d)/.exec(text.slice(start, start + 12));
    if (match === null || !startsClean(text, start)) continue;
    const end = start + match[0].length;
    const isLongerRun = index > 0 && groups[index - 1]?.end === start - 1 && text[start - 1] === match[2];
    const isClean = endsClean(text, end) || /^T\d\d:/.test(text.slice(end, end + 4));
    if (!isLongerRun && isClean && isDate([match[1] ?? "", match[3] ?? "", match[4] ?? ""]))
      scan.report("DATE", start, end, strength.shape);
  }
}

/**
 * Postcodes, where a word says so: ZIP and ZIP+4 (USPS, Domestic Mail Manual 602), UK postcodes (Royal Mail, PAF Programmers' Guide),
 * and four- to six-figure codes of the Universal Postal Union's addressing database, with a country's letters or not.
 */
function* findPostcodes(scan: Scan): Steps<void> {
  const { text } = scan;
  const form =
    /^(?:[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}|\d{5}-\d{4}|\d{5}-\d{3}|\d{4}-\d{3}|\d{4} ?[A-Z]{2}|(?:[A-Z]{1,2}-)?\d{2,3}[- ]\d{2,3}|(?:[A-Z]{1,2}-)?\d{4,6})/i;
  let looked = 0;
  for (let start = 0; start < text.length; start++) {
    if (wordAt(text, start) === 0 || !startsClean(text, start)) continue;
    if (++looked % stepSize === 0) yield;
    const match = form.exec(text.slice(start, start + 12));
    if (match === null || !/\d/.test(match[0]) || !endsClean(text, start + match[0].length)) continue;
    if (hasContext(scan, start, postcodeWords)) scan.report("POSTCODE", start, start + match[0].length, strength.shape);
  }
}
