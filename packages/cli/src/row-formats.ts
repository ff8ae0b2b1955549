import { type CsvSeparator, createCsvColumns, findCsvColumns, formatCsvHead, formatCsvRow } from "@sealpost/sdk/csv";
import type { XlsxOptions } from "@sealpost/sdk/xlsx";
import { formatExactly } from "@sealpost/wire";
import { printableCells } from "./printable.ts";
import type { SubmissionRow } from "./submission-row.ts";
import { formatJson } from "./table.ts";

export const rowFormats = ["csv", "xlsx", "json", "ndjson"] as const;
export type RowFormat = (typeof rowFormats)[number];

type Rows = AsyncIterable<SubmissionRow>;

export interface RowFormatOptions extends XlsxOptions {
  /** Field names that become columns of a CSV or XLSX file. Without them all rows are read before the first is written. */
  readonly columns?: readonly string[] | undefined;
  /** Begins the CSV with a byte order mark, by which Excel knows UTF-8. */
  readonly byteOrderMark?: boolean | undefined;
  /** The mark between the cells of CSV; without it a comma. */
  readonly separator?: CsvSeparator | undefined;
  /** Writes nothing that a terminal acts on. Elsewhere every byte comes out as it was typed. */
  readonly isTerminal?: boolean | undefined;
}

/** `rows` in a format, piece by piece as they come: text, or the bytes of XLSX. */
export function formatRows(
  rows: Rows,
  format: RowFormat,
  options: RowFormatOptions = {},
): AsyncGenerator<string | Uint8Array, void> {
  const toJson = (row: SubmissionRow) => (options.isTerminal ? formatJson(row) : formatExactly(row));
  switch (format) {
    case "ndjson":
      return formatLines(rows, toJson);
    case "json":
      return formatArray(rows, toJson);
    case "csv":
      return formatCsv(rows, options);
    case "xlsx":
      return formatWorkbook(rows, options);
    default:
      return format satisfies never;
  }
}

type ToJson = (row: SubmissionRow) => string;

async function* formatLines(rows: Rows, toJson: ToJson): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${toJson(row)}\n`;
}

/** An array, closed only when all has gone well: half an export is no valid JSON. */
async function* formatArray(rows: Rows, toJson: ToJson): AsyncGenerator<string, void> {
  let separator = "[\n";
  for await (const row of rows) {
    yield separator + toJson(row);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

async function* formatCsv(rows: Rows, options: RowFormatOptions): AsyncGenerator<string, void> {
  const { columns: names, byteOrderMark, isTerminal, separator } = options;
  const write = isTerminal ? printableCells : (line: string) => line;
  if (byteOrderMark) yield "\uFEFF";
  if (names !== undefined) {
    const columns = createCsvColumns(names);
    yield write(formatCsvHead(columns, separator));
    for await (const row of rows) yield write(formatCsvRow(row, columns, separator));
    return;
  }
  const all = await collect(rows);
  const columns = findCsvColumns(all);
  yield write(formatCsvHead(columns, separator));
  for (const row of all) yield write(formatCsvRow(row, columns, separator));
}

async function* formatWorkbook(rows: Rows, options: RowFormatOptions): AsyncGenerator<Uint8Array, void> {
  const { createXlsxColumns, findXlsxColumns, formatXlsx } = await import("@sealpost/sdk/xlsx");
  if (options.columns !== undefined) return yield* formatXlsx(rows, createXlsxColumns(options.columns), options);
  const all = await collect(rows);
  yield* formatXlsx(all, findXlsxColumns(all), options);
}

async function collect(rows: Rows): Promise<readonly SubmissionRow[]> {
  const all: SubmissionRow[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
