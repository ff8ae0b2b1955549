/** Control and invisible direction characters: at a terminal, names and typed words could move the cursor or hide text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` without anything that a terminal would act on. */
export function printable(text: string): string {
  return text.replace(unprintable, "\uFFFD");
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** The same for text whose line breaks and tabs may stay: quoted cells of CSV. `\r` stays only at the end of a line. */
export function printableCells(text: string): string {
  return text.replace(unprintable, (character, offset: number) => {
    if (character === "\n" || character === "\t") return character;
    return character === "\r" && text[offset + 1] === "\n" ? character : "\uFFFD";
  });
}
