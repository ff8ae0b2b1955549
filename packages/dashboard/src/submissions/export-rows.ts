import { type CsvRow, findCsvColumns, formatCsvHead, formatCsvRow } from "@sealpost/receiver/csv";
import type { Row } from "./row.ts";
import { fieldsOf } from "./row-view.ts";

function statusOf({ opened }: Row): string {
  if (opened === undefined) return "not_opened_yet";
  if (!opened.opened) return opened.reason;
  return opened.sealed ? "opened" : "not_sealed";
}

export function toJson(rows: readonly Row[]): string {
  const items = rows.map((row) => ({
    id: row.id,
    receivedAt: row.receivedAt,
    timestamp: row.timestamp,
    keyVersion: row.keyVersion,
    status: statusOf(row),
    ...(row.opened?.opened === true && { fields: row.opened.fields }),
  }));
  return `${JSON.stringify(items, null, 2)}\n`;
}

/** The CSV of the command line, with a byte order mark, by which spreadsheets know UTF-8. */
export function toCsv(rows: readonly Row[]): string {
  const lines = rows.map((row): CsvRow => ({ ...row, status: statusOf(row), fields: fieldsOf(row) }));
  const columns = findCsvColumns(lines);
  return ["\uFEFF", formatCsvHead(columns), ...lines.map((line) => formatCsvRow(line, columns))].join("");
}
