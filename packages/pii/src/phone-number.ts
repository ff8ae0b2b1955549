import { isSupportedCountry, isValidPhoneNumber } from "libphonenumber-js/min";
import { startsClean } from "./characters.ts";
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
} from "./phone-chain.ts";
import { hasPhoneShape, isBook, isSomethingElse, isWholeNumber } from "./phone-shape.ts";
import { phoneWords } from "./phone-words.ts";
import { hasContext, isCounted, type Scan, strength } from "./scan.ts";

/**
 * Phone numbers (ITU-T E.164, E.123): what libphonenumber calls valid in the country at hand, and what has the shape of a
 * number, because people mistype, and because numbers kept for fiction such as (212) 555-0147 are never valid.
 * libphonenumber sees pieces of at most 15 digits, never the text, so its own matcher's run time does not matter.
 */
export function findPhoneNumbers(scan: Scan): void {
  if (!scan.wants("PHONE_NUMBER")) return;
  for (const chain of findChains(scan.text, scan.groups)) {
    if (isBook(chain)) continue;
    const phone = variants(chain).find((variant) => isPhone(scan, variant));
    if (phone === undefined) continue;
    scan.report("PHONE_NUMBER", phone.start, extensionEnd(scan.text, endOf(phone)), strength.loose);
  }
}

/** The chain, or without a short number that follows, or without a year that precedes: `212 555 0147 2 tickets`. */
function variants(chain: Chain): Chain[] {
  const { groups, separators } = chain;
  const all = [chain];
  if (separators.at(-1) === " " && (groups.at(-1)?.digits.length ?? 0) <= 2)
    all.push(sliceChain(chain, 0, groups.length - 1));
  if (separators[0]?.includes(" ") && isYear(groups[0]?.digits ?? "")) all.push(sliceChain(chain, 1, groups.length));
  return all;
}

function isPhone(scan: Scan, chain: Chain): boolean {
  const { text } = scan;
  const digits = countDigits(chain);
  if (digits < digitsMin || digits > digitsMax || !startsClean(text, chain.start) || !endsAsNumber(text, endOf(chain)))
    return false;
  const [first, second] = chain.groups;
  const isPlus = chain.isInternational && chain.start < (first?.start ?? 0);
  // `+48.858370` is a latitude, `+1.2125550147` a number as domain registries write it (RFC 5733 section 2.5).
  if (isPlus) return chain.separators.join() !== "." || (second?.digits.length ?? 0) > 7;
  const isBare = chain.groups.length === 1;
  if (isBare && isCounted(scan, chain.start)) return false;
  const inContext =
    hasContext(scan, chain.start, phoneWords) ||
    /(?:^|[\s,;|(])[tmpfc][:.] ?$/i.test(text.slice(Math.max(0, chain.start - 4), chain.start));
  if (isSomethingElse(text, chain, inContext)) return false;
  if (inContext || hasPhoneShape(chain)) return true;
  if (digits < (isBare ? 9 : 8) || isYear(first?.digits ?? "") || isCounted(scan, chain.start) || isWholeNumber(chain))
    return false;
  return isValidHere(text.slice(chain.start, endOf(chain)), scan.country);
}

function isValidHere(written: string, country: string): boolean {
  return isSupportedCountry(country) ? isValidPhoneNumber(written, country) : isValidPhoneNumber(written);
}

function endOf(chain: Chain): number {
  return chain.groups.at(-1)?.end ?? chain.start;
}
