/**
 * Whether a text has a letter whose small letter is another one's as well: the Kelvin sign, whose small letter is k, or the capital İ. By it what
 * somebody entered, or a provider says, would become an address that is somebody else's.
 */
export function hasSharedLetter(text: string): boolean {
  return [...text].some((letter) => {
    const small = letter.toLowerCase();
    return small !== letter && small.toUpperCase() !== letter;
  });
}

/** The form in which an email address is kept and compared, in small letters. One with a shared letter stays unchanged, and so is no address that is kept. */
export function lowerAddress(text: string): string {
  return hasSharedLetter(text) ? text : text.toLowerCase();
}
