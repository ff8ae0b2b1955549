import { type ExportRow, findXlsxColumns, formatXlsx } from "@sealpost/sdk/xlsx";
import { type Making, takeTurn } from "./export-making.ts";
import { toExportRow } from "./export-rows.ts";
import type { Row } from "./row.ts";

/** After so many submissions the page has a turn. */
const turnRows = 200;
const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** The rows as a workbook, and how many texts in it had to be cut at the end of what a cell holds. */
export async function toXlsx(
  rows: readonly Row[],
  making: Making = {},
): Promise<{ readonly file: Blob; readonly cut: number }> {
  const columns = findXlsxColumns(rows.map(toExportRow));
  const parts: Blob[] = [];
  let cut = 0;
  for await (const piece of formatXlsx(inTurns(rows, making), columns, { onCut: () => cut++ }))
    parts.push(new Blob([piece]));
  return { file: new Blob(parts, { type }), cut };
}

async function* inTurns(rows: readonly Row[], making: Making): AsyncGenerator<ExportRow, void> {
  let count = 0;
  for (const row of rows) {
    yield toExportRow(row);
    if (++count % turnRows === 0) await takeTurn(making, count);
  }
}
