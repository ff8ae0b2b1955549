import { type CountryCode, getCountryCallingCode, Metadata, type NumberingPlan } from "libphonenumber-js/min";

/** The lengths of a country's national numbers, without and with its calling code. */
export function dialledLengths(country: CountryCode): ReadonlySet<number> {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const lengths = metadata.numberingPlan?.possibleLengths() ?? [];
  const code = getCountryCallingCode(country).length;
  return new Set(lengths.flatMap((length) => [length, length + code]));
}

/**
 * The prefix that a country's national numbers begin with (`0` in Germany, `8` in Russia), by libphonenumber. `undefined` where there is
 * none, and in North America, where the 1 is left out.
 */
export function trunkPrefix(country: CountryCode): string | undefined {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  // The library's types leave this method out.
  const plan = metadata.numberingPlan as (NumberingPlan & { nationalPrefix(): string | undefined }) | undefined;
  const prefix = plan?.nationalPrefix();
  return prefix && prefix !== getCountryCallingCode(country) ? prefix : undefined;
}
