import { findCreditCards } from "./credit-card.ts";
import { findCryptoAddresses } from "./crypto.ts";
import { findEmails } from "./email.ts";
import { fold, mask, type Shadow, type Span, unfold } from "./fold.ts";
import { findIbans } from "./iban.ts";
import { findIpAddresses } from "./ip-address.ts";
import { findMacAddresses } from "./mac-address.ts";
import { findNationalNumbers } from "./national-numbers.ts";
import { resolveOverlaps } from "./overlap.ts";
import { findPhoneNumbers } from "./phone-number.ts";
import { type Candidate, createWordsBefore, type Detector, findDigitGroups } from "./scan.ts";
import { finish, type Steps } from "./steps.ts";
import { findTexts } from "./text-types.ts";
import { defaultTypes, type PiiType, parseTypes, tokenPattern } from "./types.ts";
import { findUkNumbers } from "./uk-numbers.ts";
import { findUrlCredentials } from "./url-credentials.ts";
import { findUsNumbers } from "./us-numbers.ts";

export interface Found extends Span {
  readonly type: PiiType;
}

/** The types to look for, and hints about the field that the text comes from. */
export interface Search {
  readonly types: ReadonlySet<PiiType>;
  readonly country: string;
  readonly fieldWords: readonly string[];
  /** Those of them that may say that a number counts things: none of a name that was itself removed, and says nothing the next time. */
  readonly countingWords: readonly string[];
  /** Whether the text is a number, or comes from an input for numbers. */
  readonly isFigure: boolean;
}

export const detectors: readonly Detector[] = [
  findEmails,
  findUrlCredentials,
  findPhoneNumbers,
  findCreditCards,
  findIbans,
  findIpAddresses,
  findMacAddresses,
  findUsNumbers,
  findUkNumbers,
  findCryptoAddresses,
  findNationalNumbers,
  findTexts,
];

/** More rounds than text of any kind has been seen to need (two); what needs more is removed whole. */
const roundsMax = 8;

/**
 * Finds the personal data in `text`: UTF-16 offsets, `end` exclusive, sorted, not overlapping. `types` replaces the twelve
 * default types (an unknown name is a TypeError); `country` (ISO 3166-1 alpha-2) is that of phone numbers without `+`.
 * Field-only types are never found in text. Finds nothing in a text from which it has been stripped.
 */
export function findPii(
  text: string,
  options: { readonly types?: readonly PiiType[]; readonly country?: string } = {},
): Array<{ type: PiiType; start: number; end: number }> {
  const search = {
    types: parseTypes(options.types ?? defaultTypes),
    country: (options.country ?? "US").toUpperCase(),
    fieldWords: [],
    countingWords: [],
    isFigure: false,
  };
  return finish(findWith(detectors, text, search));
}

/**
 * Every detector reads the same shadow, never what another left. Then what was found, and every token, becomes a barrier and the rest
 * is read again until nothing more is found: a hit that another one hid cannot stay, and the shadow that the last round
 * found empty is exactly the shadow of the stripped text, so a second stripping changes nothing.
 */
export function* findWith(all: readonly Detector[], text: string, search: Search): Steps<Found[]> {
  let shadow = yield* fold(text);
  shadow = mask(
    shadow,
    Array.from(shadow.text.matchAll(tokenPattern), (match) => ({
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
  const found: Candidate[] = [];
  for (let round = 0; round < roundsMax; round++) {
    const hits = resolveOverlaps(yield* detect(all, shadow, search));
    if (hits.length === 0) return resolveOverlaps(found).map(({ type, start, end }) => ({ type, start, end }));
    for (const hit of hits) found.push({ ...hit, ...unfold(shadow, hit) });
    shadow = mask(shadow, hits);
    yield;
  }
  return [{ type: found[0]?.type ?? "EMAIL_ADDRESS", start: 0, end: text.length }];
}

function* detect(all: readonly Detector[], shadow: Shadow, search: Search): Steps<Candidate[]> {
  const candidates: Candidate[] = [];
  const scan = {
    text: shadow.text,
    groups: findDigitGroups(shadow.text),
    country: search.country,
    fieldWords: search.fieldWords,
    countingWords: search.countingWords,
    isFigure: search.isFigure,
    wordsBefore: createWordsBefore(shadow.text),
    wants: (type: PiiType) => search.types.has(type),
    report: (type: PiiType, start: number, end: number, strength: number) =>
      candidates.push({ type, start, end, strength }),
  };
  for (const detector of all) {
    yield* detector(scan);
    yield;
  }
  return candidates;
}
