import {
  type CountryCode,
  isSupportedCountry,
  isValidPhoneNumber,
  Metadata,
  type NumberingPlan,
} from "libphonenumber-js/min";

/** Of a country's numbering plan: the fewest digits of a national number, and how numbers abroad begin. */
interface Plan {
  readonly digitsMin: number;
  readonly abroad: string;
}

const plans = new Map<CountryCode, Plan>();

/** Whether libphonenumber calls a number valid, without `+` in the form's country. */
export function isValidPhone(written: string, country: string): boolean {
  return isSupportedCountry(country) ? isValidPhoneNumber(written, country) : isValidPhoneNumber(written);
}

/**
 * Whether a number without `+` has too few digits for the form's country, so that the library need not be asked: where a calling code has many
 * countries, it goes through all of them before it says no.
 */
export function isTooShort(digits: string, country: string): boolean {
  if (!isSupportedCountry(country)) return true;
  let plan = plans.get(country);
  if (plan === undefined) {
    plan = planOf(country);
    plans.set(country, plan);
  }
  return digits.length < plan.digitsMin && !digits.startsWith(plan.abroad);
}

function planOf(country: CountryCode): Plan {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  // The library's types leave this method out. Where it gives a rule, parsing may add an area code, and nothing is too short.
  const plan = metadata.numberingPlan as
    | (NumberingPlan & { nationalPrefixTransformRule(): string | undefined })
    | undefined;
  const abroad = plan?.IDDPrefix() ?? "";
  // Nor where several prefixes lead abroad: then it is an expression.
  if (plan === undefined || plan.nationalPrefixTransformRule() || !/^\d+$/.test(abroad))
    return { digitsMin: 0, abroad: "" };
  return { digitsMin: plan.possibleLengths().reduce((least, length) => Math.min(least, length)), abroad };
}
