import { formatExactly } from "@sealpost/wire";
import { CommandError } from "./exit-code.ts";
import { printable } from "./printable.ts";

/** JSON that no terminal acts on: also what JSON leaves unchanged is escaped. It still means the same. */
export function formatJson(value: unknown, indent?: number): string {
  return formatExactly(value, indent).replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) =>
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

/** The last millisecond that a Date can show. */
const timeMax = 8.64e15;

/**
 * A time of the API (milliseconds since the Unix epoch) for people: ISO 8601, UTC. Throws a `CommandError` for anything else that a
 * server may send.
 */
export function formatTime(milliseconds: number): string {
  if (Number.isFinite(milliseconds) && Math.abs(milliseconds) <= timeMax) return new Date(milliseconds).toISOString();
  throw new CommandError(
    "unavailable",
    "The server's answer has something else where a time is expected: is this the address of a Sealpost instance, and of which version?",
  );
}
