/**
 * Every type and the fixed token that replaces it. A token tells the type and nothing else: no hash (a low-entropy value is
 * found by dictionary), no last digits, no length. The order decides between candidates that are otherwise equal.
 */
export const tokens = {
  EMAIL_ADDRESS: "[EMAIL]",
  PHONE_NUMBER: "[PHONE]",
  CREDIT_CARD: "[CARD]",
  IBAN_CODE: "[IBAN]",
  IP_ADDRESS: "[IP]",
  MAC_ADDRESS: "[MAC]",
  US_SSN: "[SSN]",
  US_ITIN: "[ITIN]",
  UK_NINO: "[NINO]",
  UK_NHS: "[NHS]",
  CRYPTO: "[CRYPTO]",
  URL_CREDENTIALS: "[CREDENTIALS]",
  URL: "[URL]",
  DATE: "[DATE]",
  POSTCODE: "[POSTCODE]",
  US_NPI: "[NPI]",
  US_MBI: "[MBI]",
  US_ABA: "[ABA]",
  US_PASSPORT: "[PASSPORT]",
  UK_PASSPORT: "[PASSPORT]",
  UK_DRIVING_LICENCE: "[DRIVING LICENCE]",
  CA_SIN: "[SIN]",
  AU_TFN: "[TFN]",
  IN_AADHAAR: "[AADHAAR]",
  PL_PESEL: "[PESEL]",
  SE_PERSONNUMMER: "[PERSONNUMMER]",
  ES_NIF: "[NIF]",
  ES_NIE: "[NIE]",
  IT_FISCAL_CODE: "[FISCAL CODE]",
  PERSON_NAME: "[NAME]",
  POSTAL_ADDRESS: "[ADDRESS]",
  DATE_OF_BIRTH: "[DATE OF BIRTH]",
  GENDER: "[GENDER]",
  USERNAME: "[USERNAME]",
  PASSWORD: "[PASSWORD]",
  CARD_DETAILS: "[CARD DETAILS]",
} as const;

/** The types: twelve types by default, the opt-in types of a country or purpose, and seven that only a field's name tells. */
export type PiiType = keyof typeof tokens;

/** The replacement of a value that was too large to look at, or that its form's author marked without saying what it is. */
export const removedToken = "[REMOVED]";

export const allTypes = Object.keys(tokens) as PiiType[]; // the keys of `tokens` are the types

/** The types that `findPii` looks for by default: the first twelve. */
export const defaultTypes: readonly PiiType[] = allTypes.slice(0, 12);

/** Parses the `types` option; an unknown name is a TypeError, so that a misspelt type is not silently unprotected. */
export function parseTypes(types: readonly string[]): ReadonlySet<PiiType> {
  for (const type of types) if (!Object.hasOwn(tokens, type)) throw new TypeError(`Unknown PII type: ${type}`);
  return new Set(types as readonly PiiType[]); // every member was just looked up in `tokens`
}

const everyToken = new Set<string>([...Object.values(tokens), removedToken]);

export function isToken(text: string): boolean {
  return everyToken.has(text);
}

/** Matches any token in a text. */
export const tokenPattern = new RegExp(
  `\\[(?:${Array.from(everyToken, (token) => token.slice(1, -1)).join("|")})\\]`,
  "g",
);
