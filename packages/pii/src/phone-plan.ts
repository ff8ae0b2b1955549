import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  isValidPhoneNumber,
  Metadata,
  type NumberingPlan,
} from "libphonenumber-js/min";

/** Part of a country's numbering plan: the fewest digits of a national number, and how numbers abroad begin. */
interface Plan {
  readonly digitsMin: number;
  readonly abroad: string;
  /** Whether digits begin as numbers do that are written without `+`. */
  readonly begins: (digits: string) => boolean;
}

const plans = new Map<CountryCode, Plan>();

/** Whether libphonenumber calls a number valid, without `+` in the form's country. */
export function isValidPhone(written: string, country: string): boolean {
  return isSupportedCountry(country) ? isValidPhoneNumber(written, country) : isValidPhoneNumber(written);
}

/**
 * Whether digits begin as numbers without `+` are written in the country, and are enough; otherwise the library need not be asked. It also
 * takes numbers without their trunk prefix as valid: in Germany, Austria or Belgium nearly every number of 8 to 12 digits, so amounts and
 * dates would be telephone numbers. Groups tell more than bare digits. And where a calling code has many countries, it goes through all of them
 * before it says no.
 */
export function mayBeDialled(digits: string, country: string, isGrouped: boolean): boolean {
  if (!isSupportedCountry(country)) return false;
  let plan = plans.get(country);
  if (plan === undefined) {
    plan = planOf(country);
    plans.set(country, plan);
  }
  const begins = plan.begins(digits) || (isGrouped && optionalTrunk.has(country));
  return begins && (digits.length >= plan.digitsMin || digits.startsWith(plan.abroad));
}

/** Countries that have a trunk prefix, and write their mobile numbers without it; the tests compare them with libphonenumber's formats. */
export const optionalTrunk: ReadonlySet<string> = new Set("BO,BR,CN,CO,GE,KI,LB,LI,MH,MN,NP,PE,SO".split(","));

/** Where the trunk prefix is left out: an area code that is no service and not reserved, then seven digits (NANPA, ATIS-0300115). */
const northAmerican = /^(?:011\d+|1?[2-9](?!9|11)\d\d[2-9](?!11)\d{6})$/;

/** The trunk prefix, the calling code or the prefix for calls abroad; anything where the country has no trunk prefix. */
function beginningOf(prefix: string | undefined, callingCode: string, abroad: string): Plan["begins"] {
  if (!prefix) return () => true;
  if (prefix === callingCode) return (digits) => northAmerican.test(digits);
  const beginnings = [prefix, callingCode, ...(/^\d+$/.test(abroad) ? [abroad] : [])];
  return (digits) => beginnings.some((beginning) => digits.startsWith(beginning));
}

function planOf(country: CountryCode): Plan {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  // The library's types leave these methods out. Where there is a rule of transformation, parsing may add an area code, and nothing is too short.
  const plan = metadata.numberingPlan as
    | (NumberingPlan & { nationalPrefix(): string | undefined; nationalPrefixTransformRule(): string | undefined })
    | undefined;
  const abroad = plan?.IDDPrefix() ?? "";
  const begins = beginningOf(plan?.nationalPrefix(), getCountryCallingCode(country), abroad);
  // Nor where several prefixes lead abroad: then it is an expression.
  if (plan === undefined || plan.nationalPrefixTransformRule() || !/^\d+$/.test(abroad))
    return { digitsMin: 0, abroad: "", begins };
  return { digitsMin: plan.possibleLengths().reduce((least, length) => Math.min(least, length)), abroad, begins };
}
