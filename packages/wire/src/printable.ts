/** Control and invisible direction characters: at a terminal, names and typed words could move the cursor or hide text. */
export const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` without anything that a terminal would act on. */
export function printable(text: string): string {
  return text.replace(unprintable, "\uFFFD");
}

/** The same for several lines, whose columns may be separated by tabs. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}
