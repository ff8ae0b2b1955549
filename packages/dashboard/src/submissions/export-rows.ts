import type { FieldValue } from "@sealpost/wire";
import { stringify } from "csv-stringify/browser/esm/sync";
import type { Row } from "./inbox.ts";
import { columnsOf } from "./row-view.ts";

/** What comes before the fields, as in the exports of the command line. A leading `_` keeps them apart from the fields. */
const leadingColumns = ["_id", "_receivedAt", "_keyVersion", "_status"];

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

/** RFC 4180 with a byte order mark, by which spreadsheets know UTF-8. */
export function toCsv(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  const lines = rows.map((row) => {
    const fields = row.opened?.opened === true ? row.opened.fields : {};
    const cells = columns.map((name) => (Object.hasOwn(fields, name) ? toCell(fields[name]) : ""));
    return [row.id, new Date(row.receivedAt).toISOString(), String(row.keyVersion), statusOf(row), ...cells];
  });
  const guarded = [[...leadingColumns, ...columns], ...lines].map((cells) => cells.map(guard));
  return `\uFEFF${stringify(guarded, { quoted: true, quoted_empty: true, record_delimiter: "\r\n" })}`;
}

function toCell(value: FieldValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join("; ");
  return JSON.stringify(value);
}

/** What a spreadsheet may take for a formula, also behind blanks and invisible characters (OWASP, CSV Injection). */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** Names and values come from strangers: a cell that might be a formula begins with an apostrophe, so it stays a text. */
function guard(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}
