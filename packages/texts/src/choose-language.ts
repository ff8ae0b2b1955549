/** Browsers name fewer. What comes after is not looked at: a stranger writes as many as fit into a header. */
export const wantedMax = 10;
/** The longest tag for which a program has to have room (RFC 5646, section 4.4.1). Longer ones are skipped. */
const tagLengthMax = 35;

/**
 * The language to show: the first wanted one that is available, by its whole tag or by its first parts ("de-AT" is answered with
 * "de"), and the first available one if none is. `wanted` has BCP 47 tags in order of preference, as `navigator.languages` does; the first
 * ten count.
 */
export function chooseLanguage<Available extends { readonly tag: string }>(
  wanted: readonly string[],
  available: readonly [Available, ...Available[]],
): Available {
  for (const tag of wanted.slice(0, wantedMax)) {
    if (tag.length > tagLengthMax) continue;
    const parts = tag.toLowerCase().split("-");
    for (let length = parts.length; length > 0; length--) {
      const range = parts.slice(0, length).join("-");
      const found = available.find((one) => one.tag.toLowerCase() === range);
      if (found !== undefined) return found;
    }
  }
  return available[0];
}
