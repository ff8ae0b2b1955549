import { unprintable } from "@sealpost/wire";

export { printable, printableLines } from "@sealpost/wire";

/** `printable` for text whose line breaks and tabs may stay: quoted cells of CSV. `\r` stays only at the end of a line. */
export function printableCells(text: string): string {
  return text.replace(unprintable, (character, offset: number) => {
    if (character === "\n" || character === "\t") return character;
    return character === "\r" && text[offset + 1] === "\n" ? character : "\uFFFD";
  });
}
