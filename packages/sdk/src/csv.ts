import { createColumns, type ExportColumns, type ExportRow, findColumns, restOf, toCell } from "./export-columns.ts";

export { commonestNames, type ExportColumns, type ExportRow } from "./export-columns.ts";

/** Marks that can stand between two cells. Excel splits at a semicolon where the computer's numbers have a decimal comma. */
export const csvSeparators = { comma: ",", semicolon: ";", tab: "\t" } as const;
export type CsvSeparator = keyof typeof csvSeparators;

/** The columns of an export with these rows: every field; or, if there are too many, the most frequent ones and `_more`. */
export function findCsvColumns(rows: Iterable<Pick<ExportRow, "fields">>): ExportColumns {
  return findColumns(rows, writeName);
}

/** Exactly these fields, whatever else there is. */
export function createCsvColumns(names: readonly string[]): ExportColumns {
  return createColumns(names, writeName);
}

/** As it comes out: halves of surrogate pairs become U+FFFD in UTF-8, and so could become alike. */
const writeName = (name: string): string => guardFormula(name.toWellFormed());

/** The first line, with its line break. */
export function formatCsvHead({ headings }: ExportColumns, separator: CsvSeparator = "comma"): string {
  return formatLine(headings, separator);
}

/** The line of a row, with its line break. */
export function formatCsvRow(
  row: ExportRow,
  { names, hasRest }: ExportColumns,
  separator: CsvSeparator = "comma",
): string {
  const { id, receivedAt, keyVersion, status, fields = {} } = row;
  const leading = [id, new Date(receivedAt).toISOString(), String(keyVersion), status];
  const cells = [...names].map((name) => (Object.hasOwn(fields, name) ? toCell(fields[name]) : ""));
  const rest = hasRest ? [restOf(fields, names)] : [];
  return formatLine([...leading, ...cells, ...rest].map(guardFormula), separator);
}

/** Text that a spreadsheet may take for a formula, also after blanks and invisible characters (OWASP, CSV Injection). */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
/** Telephone numbers, numbers and dates: even taken for a formula they can only add and subtract. */
const harmless = /^[+-]?[0-9 ()./-]+$/;

/**
 * Names and values come from strangers: a cell that might be a formula begins with an apostrophe, so it stays a text. The rule for
 * every language is in vectors/spreadsheet-cells.json.
 */
export function guardFormula(cell: string): string {
  return formula.test(cell) && !harmless.test(cell) ? `'${cell}` : cell;
}

/** One line by RFC 4180. Every cell is quoted: in a spreadsheet that splits at another mark, `a;=1` would otherwise become two. */
function formatLine(cells: readonly string[], separator: CsvSeparator): string {
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`);
  return `${quoted.join(csvSeparators[separator])}\r\n`;
}
