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

/** JSON that no terminal acts on: also what JSON leaves unchanged is escaped. It still means the same. */
export function formatJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Rows under their headings, in columns. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(printable))];
  // No spread into `Math.max`, which takes no more than about a hundred thousand.
  const widths = headings.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, (line[column] ?? "").length), 0),
  );
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** A time of the API (milliseconds since the Unix epoch) for people: ISO 8601, UTC. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
