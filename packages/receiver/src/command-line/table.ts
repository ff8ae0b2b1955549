/** Control and invisible direction characters: at a terminal, names and typed words could move the cursor or hide text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` without anything that a terminal would act on. */
export function printable(text: string): string {
  return text.replace(unprintable, "\uFFFD");
}

/** Rows under their headings, in columns. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
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
