import type { FieldValue } from "@sealpost/wire";
import { stringify } from "csv-stringify/sync";
import type { SubmissionRow } from "./submission-row.ts";
import { formatTime } from "./table.ts";

export const rowFormats = ["csv", "json", "ndjson"] as const;
export type RowFormat = (typeof rowFormats)[number];

type Rows = AsyncIterable<SubmissionRow>;

export interface RowFormatOptions {
  /** Field names that become columns of the CSV. Without them all rows are read before the first is written. */
  readonly columns?: readonly string[] | undefined;
  /** Begins the CSV with a byte order mark, by which Excel knows UTF-8. */
  readonly byteOrderMark?: boolean | undefined;
}

/** The text of `rows` in a format, piece by piece as the rows come. */
export function formatRows(
  rows: Rows,
  format: RowFormat,
  options: RowFormatOptions = {},
): AsyncGenerator<string, void> {
  switch (format) {
    case "ndjson":
      return formatNdjson(rows);
    case "json":
      return formatJson(rows);
    case "csv":
      return formatCsv(rows, options);
    default:
      return format satisfies never;
  }
}

async function* formatNdjson(rows: Rows): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** An array, closed only when all has gone well: half an export is no valid JSON. */
async function* formatJson(rows: Rows): AsyncGenerator<string, void> {
  let separator = "[\n";
  for await (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

/** What comes before the fields. A leading `_` keeps them apart from the fields, whose names a form seldom begins so. */
const leadingColumns = ["_id", "_receivedAt", "_keyVersion", "_status"];

async function* formatCsv(rows: Rows, { columns, byteOrderMark }: RowFormatOptions): AsyncGenerator<string, void> {
  if (byteOrderMark) yield "\uFEFF";
  if (columns !== undefined) {
    yield toCsvLine([...leadingColumns, ...columns]);
    for await (const row of rows) yield toCsvLine(toCells(row, columns));
    return;
  }
  const all: SubmissionRow[] = [];
  const names = new Set<string>();
  for await (const row of rows) {
    all.push(row);
    for (const name of Object.keys(row.fields ?? {})) names.add(name);
  }
  yield toCsvLine([...leadingColumns, ...names]);
  for (const row of all) yield toCsvLine(toCells(row, [...names]));
}

function toCells(
  { id, receivedAt, keyVersion, status, fields = {} }: SubmissionRow,
  columns: readonly string[],
): string[] {
  const cells = columns.map((name) => (Object.hasOwn(fields, name) ? toCell(fields[name]) : ""));
  return [id, formatTime(receivedAt), String(keyVersion), status, ...cells];
}

/** A text as it is; a list of texts with `; ` between them; anything else as JSON. */
function toCell(value: FieldValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join("; ");
  return JSON.stringify(value);
}

/** What a spreadsheet may take for a formula, also behind blanks and invisible characters (OWASP, CSV Injection). */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * One line by RFC 4180. Field names and values come from strangers, so every cell that might be a formula begins with an
 * apostrophe, and every cell is quoted: in a country whose spreadsheets split at semicolons, `a;=1` would otherwise become two.
 */
function toCsvLine(cells: readonly string[]): string {
  const guarded = cells.map((cell) => (formula.test(cell) ? `'${cell}` : cell));
  return stringify([guarded], { escape_formulas: true, quoted: true, quoted_empty: true, record_delimiter: "\r\n" });
}
