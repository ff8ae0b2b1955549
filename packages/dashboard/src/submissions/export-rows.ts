import type { FieldValue } from "@sealpost/wire";
import { stringify } from "csv-stringify/browser/esm/sync";
import type { Row } from "./row.ts";
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

/** More than any form has. Strangers make the names of fields, and every name is a cell in every row. */
const columnsMax = 500;
/** Has, as JSON, the fields of a row that got no column of their own, so that nothing is left out. */
const restColumn = "_more";

/** RFC 4180 with a byte order mark, by which spreadsheets know UTF-8. */
export function toCsv(rows: readonly Row[]): string {
  const columns = columnsOf(rows, columnsMax);
  const own = new Set(columns);
  let hasRest = false;
  const lines = rows.map((row) => {
    const fields = row.opened?.opened === true ? row.opened.fields : {};
    const cells = columns.map((name) => (Object.hasOwn(fields, name) ? toCell(fields[name]) : ""));
    const others = Object.entries(fields).filter(([name]) => !own.has(name));
    hasRest ||= others.length > 0;
    const rest = others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : "";
    const start = [row.id, new Date(row.receivedAt).toISOString(), String(row.keyVersion), statusOf(row)];
    return { cells: [...start, ...cells], rest };
  });
  const head = { cells: [...leadingColumns, ...columns], rest: restColumn };
  const guarded = [head, ...lines]
    .map(({ cells, rest }) => (hasRest ? [...cells, rest] : cells))
    .map((cells) => cells.map(guard));
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
