import { type ExactFields, type ExactValue, formatExactly } from "@sealpost/wire";

/** One submission as a row of a spreadsheet. Times are milliseconds since the Unix epoch. */
export interface ExportRow {
  readonly id: string;
  readonly receivedAt: number;
  readonly keyVersion: number;
  /** The outcome of opening it. */
  readonly status: string;
  /** Absent when there are none to show. Fields of `exactFieldsOf` are written with the digits that were sealed. */
  readonly fields?: ExactFields | undefined;
}

/** Which fields have a column of their own, under which headings, and whether the rest of a row comes in a last one. */
export interface ExportColumns {
  readonly names: ReadonlySet<string>;
  /** Every heading, including those of our own columns. */
  readonly headings: readonly string[];
  readonly hasRest: boolean;
}

/** How a file writes a name: two that are written alike need two headings. */
type WriteName = (name: string) => string;

/** The columns before the fields. */
const leadingColumns = ["_id", "_receivedAt", "_keyVersion", "_status"];
/** Has, as JSON, the fields of a row that got no column of their own, so that nothing is left out. */
const restColumn = "_more";
/** More than any form has. Strangers make the names of fields, and every name is a cell in every row. */
const columnsMax = 500;

/** The columns of an export with these rows: every field; or, if there are too many, the most frequent ones and `_more`. */
export function findColumns(rows: Iterable<Pick<ExportRow, "fields">>, writeName: WriteName): ExportColumns {
  const { names, isAll } = commonestNames(rows, columnsMax);
  return columnsOf(names, !isAll, writeName);
}

/** Exactly these fields, whatever else there is. */
export function createColumns(names: readonly string[], writeName: WriteName): ExportColumns {
  return columnsOf([...new Set(names)], false, writeName);
}

function columnsOf(names: readonly string[], hasRest: boolean, writeName: WriteName): ExportColumns {
  const headings = [...leadingColumns, ...headingsOf(names, writeName), ...(hasRest ? [restColumn] : [])];
  return { names: new Set(names), headings, hasRest };
}

/**
 * The names of fields in the order in which forms have them, at most `countMax`. Where there are more, those of most
 * submissions are taken, so that one submission of odd fields puts none of the form's aside.
 */
export function commonestNames(
  rows: Iterable<Pick<ExportRow, "fields">>,
  countMax: number,
): { readonly names: readonly string[]; readonly isAll: boolean } {
  const counts = new Map<string, number>();
  for (const { fields = {} } of rows) {
    for (const name of Object.keys(fields)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size <= countMax) return { names: [...counts.keys()], isAll: true };
  const commonest = [...counts].sort(([, one], [, other]) => other - one).slice(0, countMax);
  const kept = new Set(commonest.map(([name]) => name));
  return { names: [...counts.keys()].filter((name) => kept.has(name)), isAll: false };
}

/** The fields of a row that have no column of their own, as JSON; empty where there are none. */
export function restOf(fields: ExactFields, names: ReadonlySet<string>): string {
  const others = Object.entries(fields).filter(([name]) => !names.has(name));
  return others.length > 0 ? formatExactly(Object.fromEntries(others)) : "";
}

/** A text unchanged; a list of texts with `; ` between them; anything else as JSON. */
export function toCell(value: ExactValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join("; ");
  return formatExactly(value);
}

/**
 * A heading for each name, no two alike and none like a column of ours: programs that read by heading take the last of two, so a
 * visitor's field called `_id` would pass for the submission's id. It becomes `_id (field)`, or `_id (field 2)` where
 * another field has that name already.
 */
function headingsOf(names: readonly string[], writeName: WriteName): readonly string[] {
  const written = names.map(writeName);
  const isKept = (index: number) => written[index] === names[index] && !isReserved(written[index] ?? "");
  const taken = new Set(written.filter((_, index) => isKept(index)));
  return written.map((name, index) => {
    if (isKept(index)) return name;
    let heading = isReserved(name) ? `${name} (field)` : name;
    for (let count = 1; taken.has(heading); count++) heading = `${name} (field${count === 1 ? "" : ` ${count}`})`;
    taken.add(heading);
    return heading;
  });
}

const reservedColumns = new Set([...leadingColumns, restColumn].map((name) => name.toLowerCase()));

/** Also names that only look like ours or that a program which knows no case takes for them. */
function isReserved(name: string): boolean {
  return reservedColumns.has(
    name
      .normalize("NFKC")
      .replace(/[\p{C}\p{Z}]/gu, "")
      .toLowerCase(),
  );
}
