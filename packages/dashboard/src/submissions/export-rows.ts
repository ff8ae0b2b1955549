import { type CsvSeparator, type ExportRow, findCsvColumns, formatCsvHead, formatCsvRow } from "@sealpost/sdk/csv";
import { formatExactly } from "@sealpost/wire";
import { type Making, takeTurn } from "./export-making.ts";
import type { Row } from "./row.ts";
import { fieldsOf } from "./row-view.ts";

function statusOf({ opened }: Row): string {
  if (opened === undefined) return "not_opened_yet";
  if (!opened.opened) return opened.reason;
  return opened.sealed ? "opened" : "not_sealed";
}

/** A row as spreadsheets have it. */
export function toExportRow(row: Row): ExportRow {
  return { ...row, status: statusOf(row), fields: fieldsOf(row) };
}

/** The rows as a JSON array, a piece for each: all in one text, very many would be longer than a text may be. */
export function* toJson(rows: readonly Row[]): Generator<string, void> {
  let separator = "[\n";
  for (const row of rows) {
    const { id, receivedAt, timestamp, keyVersion } = row;
    const fields = fieldsOf(row);
    const sealpost = row.opened?.opened === true ? row.opened.sealpost : undefined;
    const known = { id, receivedAt, timestamp, keyVersion, status: statusOf(row) };
    const item = { ...known, ...(fields && { fields }), ...(sealpost && { sealpost }) };
    // No text in JSON has a line break of its own.
    yield `${separator}  ${formatExactly(item, 2).replaceAll("\n", "\n  ")}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

/** The CSV of the command line, with a byte order mark, by which spreadsheets know UTF-8. A piece for each row. */
export function* toCsv(rows: readonly Row[], separator: CsvSeparator): Generator<string, void> {
  const columns = findCsvColumns(rows.map(toExportRow));
  yield "\uFEFF";
  yield formatCsvHead(columns, separator);
  for (const row of rows) yield formatCsvRow(toExportRow(row), columns, separator);
}

/** As much as is made within a frame or two. */
const partCharacters = 500_000;

/** The pieces, one of each row, as one file. The page stays usable between its parts, which the browser may store meanwhile. */
export async function toFile(pieces: Iterable<string>, making: Making = {}): Promise<Blob> {
  const parts: Blob[] = [];
  let part: string[] = [];
  let characters = 0;
  let count = 0;
  for (const piece of pieces) {
    part.push(piece);
    count++;
    characters += piece.length;
    if (characters < partCharacters) continue;
    parts.push(new Blob(part));
    part = [];
    characters = 0;
    await takeTurn(making, count);
  }
  return new Blob([...parts, ...part]);
}
