import type { CsvSeparator } from "@sealpost/sdk/csv";
import { strToU8, Zip, ZipDeflate } from "fflate";
import { formatExactTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { type Making, takeTurn } from "./export-making.ts";
import { toCsv, toJson } from "./export-rows.ts";
import type { Row } from "./row.ts";
import { cutName, fieldsOf, namesOf, toText } from "./row-view.ts";

/** After so many submissions the page has a turn. */
const turnRows = 200;

/** A ZIP of more files needs ZIP64, which the library does not write. */
const filesMax = 65_000;

/** The rows as `submissions.csv`, `submissions.json`, and a text for each in a folder, in the order of the list; of too many only the first two. */
export async function toZip(rows: readonly Row[], separator: CsvSeparator, making: Making = {}): Promise<Blob> {
  const texts = rows.length > filesMax ? [] : rows;
  /** Each row is written in three files, or in two. */
  const times = texts.length > 0 ? 3 : 2;
  let written = 0;
  const turn = () => takeTurn(making, Math.floor(written / times));
  const parts: Blob[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const zip = new Zip((error, data, isLast) => {
    if (error) return reject(error);
    parts.push(new Blob([new Uint8Array(data)]));
    if (isLast) resolve();
  });
  async function add(name: string, pieces: Iterable<string>): Promise<void> {
    const file = new ZipDeflate(name);
    zip.add(file);
    let count = 0;
    for (const piece of pieces) {
      file.push(strToU8(piece));
      if (++count % turnRows !== 0) continue;
      written += turnRows;
      await turn();
    }
    file.push(new Uint8Array(0), true);
  }
  await add("submissions.csv", toCsv(rows, separator));
  written = rows.length;
  await add("submissions.json", toJson(rows));
  const digits = String(rows.length).length;
  for (const [index, row] of texts.entries()) {
    const number = String(index + 1).padStart(digits, "0");
    await add(`submissions/${number}-${new Date(row.receivedAt).toISOString().slice(0, 10)}.txt`, toLines(row));
    written = 2 * rows.length + index;
    if (index % turnRows === 0) await turn();
  }
  zip.end();
  await promise;
  return new Blob(parts, { type: "application/zip" });
}

/**
 * For people. Names are indented, and values more: what a visitor chose begins no line, so that it looks neither like a line of ours nor like
 * another field.
 */
export function* toLines(row: Row): Generator<string, void> {
  const texts = text.submissions;
  yield `${texts.id}: ${row.id}\n${texts.receivedAt}: ${formatExactTime(row.receivedAt)}\n`;
  if (row.opened?.opened !== true) {
    yield `${row.opened === undefined ? texts.waiting : texts.reasons[row.opened.reason]}\n`;
    return;
  }
  if (!row.opened.sealed) yield `${texts.reasons.not_sealed}\n`;
  const fields = fieldsOf(row) ?? {};
  for (const name of namesOf(fields))
    yield `\n${indent(
      cutName(name)
        .replaceAll(/[\s\u0085]+/g, " ")
        .trim(),
      nameIndent,
    )}${indent(toText(fields[name]), valueIndent)}`;
}

const nameIndent = "  ";
const valueIndent = "    ";

/** Each line of a text after `space`, wherever a program that shows it begins a line. */
function indent(text: string, space: string): string {
  return text
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((line) => `${space}${line}\n`)
    .join("");
}
