/**
 * The language to show: the first wanted one that is available, by its whole tag or by its first parts ("de-AT" is answered with
 * "de"), and the first available one if none is. `wanted` has BCP 47 tags in order of preference, as `navigator.languages` does.
 */
export function chooseLanguage<Available extends { readonly tag: string }>(
  wanted: readonly string[],
  available: readonly [Available, ...Available[]],
): Available {
  for (const tag of wanted) {
    const parts = tag.toLowerCase().split("-");
    for (let length = parts.length; length > 0; length--) {
      const range = parts.slice(0, length).join("-");
      const found = available.find((one) => one.tag.toLowerCase() === range);
      if (found !== undefined) return found;
    }
  }
  return available[0];
}
