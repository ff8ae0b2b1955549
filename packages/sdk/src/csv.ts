import { beginning, endsAtMark, mark, sign } from "./csv-marks.ts";
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

/**
 * As it comes out: halves of surrogate pairs become U+FFFD in UTF-8, and so could become alike. A name that begins with a sign is no number that
 * anybody needs.
 */
function writeName(name: string): string {
  const text = name.toWellFormed();
  return beginsWithSign.test(text) ? `'${guardParts(text)}` : guardFormula(text);
}

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
  return formatLine([...leading, ...guardCells([...cells, ...rest])], separator);
}

/** Text that a spreadsheet may take for a formula, also after blanks and invisible characters (OWASP, CSV Injection). */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
/** Telephone numbers, numbers and dates: even taken for a formula they can only add and subtract. */
const harmless = /^[+-]?[0-9 ()./-]+$/;
const beginsWithSign = /^[+-]/;

/**
 * Names and values come from strangers: a cell that might be a formula begins with an apostrophe, so it stays a text; and so does each part of it
 * that a program which splits elsewhere would take for a cell. The rule for every language is in vectors/spreadsheet-cells.json.
 */
export function guardFormula(cell: string): string {
  return (formula.test(cell) && !harmless.test(cell) ? "'" : "") + guardParts(cell);
}

/** A number after a cell whose end is a mark is guarded too: where it splits there, what stands between the two is only a blank before it. */
function guardCells(cells: readonly string[]): readonly string[] {
  return cells.map((cell, index) => {
    const guarded = guardFormula(cell);
    return beginsWithSign.test(guarded) && endsAtMark.test(cells[index - 1] ?? "") ? `'${guarded}` : guarded;
  });
}

/** Guards what begins a formula after a mark or a line break, or after quotation marks at the beginning. */
function guardParts(cell: string): string {
  return cell.replace(/[^\r\n]+/g, (line, at: number) => {
    const isLast = at + line.length === cell.length;
    return line.replace(sign, (character, ...found) => {
      const [offset, , { lead }] = found.slice(-3) as [number, string, { readonly lead: string }];
      if (at === 0 && lead.length === offset && beginning.test(lead)) return character;
      const isRun = /[=@＝＠]/.test(character) || partsOf(line, offset, lead, isLast).some(mayRun);
      return isRun ? `'${character}` : character;
    });
  });
}

interface Part {
  readonly text: string;
  /** Nothing ends the cell where the value does: in a program that splits at another mark, the next value belongs to it. */
  readonly runsOn: boolean;
}

/** Texts that may be the cell that begins with the sign at `offset`, after `lead`: up to each of the marks before it, or up to the end of the line. */
function partsOf(line: string, offset: number, lead: string, isLast: boolean): readonly Part[] {
  const ends = Array.from(new Set(lead.match(mark)), (each) => line.indexOf(each, offset));
  if (lead.length === offset) ends.push(-1);
  return ends.map((end) => ({
    text: line.slice(offset, end === -1 ? undefined : end),
    runsOn: end === -1 && isLast,
  }));
}

/** A call, the bar of DDE, or a reference into another sheet or file. */
const reachesOut = /[\p{L}_][\p{N}.]*\s*[(（]|[|｜]|[!！]\S/u;
/** An operator, to which the next value could be the operand, or quotation marks, whose other half could be there. */
const isOpen = /$(?<![\p{L}\p{M}\p{N}.?!…)\]}]\s*)|"|(?<![\p{L}\p{N}])'/u;

/**
 * Whether what begins with + or - could do more than add and subtract, or show an error. Lists and signatures in prose, numbers and telephone
 * numbers can't, and get no apostrophe.
 */
function mayRun({ text, runsOn }: Part): boolean {
  return reachesOut.test(text) || (runsOn && isOpen.test(text));
}

/** One line by RFC 4180, every cell quoted. A program that splits at another mark takes the quotes of the first one alone for quotes. */
function formatLine(cells: readonly string[], separator: CsvSeparator): string {
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`);
  return `${quoted.join(csvSeparators[separator])}\r\n`;
}
