/**
 * Spaces, format characters, and what fonts show nothing for: Unicode's own list (`Default_Ignorable_Code_Point`: soft
 * hyphens, variation selectors, fillers of Hangul), and the braille pattern without dots, which is missing from it.
 */
const invisible = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether nothing of `text` can be seen; so also of an empty one. No name of a form, key or person may be like that. */
export function isInvisible(text: string): boolean {
  return invisible.test(text);
}
