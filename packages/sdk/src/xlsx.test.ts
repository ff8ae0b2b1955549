import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "@sealpost/wire";
import fc from "fast-check";
import { type ReadCell, readWorkbook, readZip } from "../../../tests/support/workbook.ts";
import { naughtyStrings } from "../../../tests/what-visitors-type/naughty-strings.ts";
import { createXlsxColumns, type ExportRow, findXlsxColumns, formatXlsx, writeXlsx, type XlsxLimits } from "./xlsx.ts";

const base = { id: "sub_1", receivedAt: Date.UTC(2026, 0, 31, 12), keyVersion: 3, status: "opened" } as const;
const unlimited: XlsxLimits = { rowsMax: 1_048_576, sheetBytesMax: 2 ** 31, fileBytesMax: 2 ** 32 };

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function write(fields: readonly Fields[], onCut?: () => void) {
  const rows = fields.map((one) => ({ ...base, fields: one }));
  return readWorkbook(await collect(formatXlsx(rows, findXlsxColumns(rows), { onCut })));
}

/** Values of the cells under the fields' names, in the order of the columns. */
function valuesOf(row: ReadonlyMap<number, ReadCell> | undefined): readonly (ReadCell["value"] | undefined)[] {
  const last = Math.max(3, ...(row?.keys() ?? []));
  return Array.from({ length: last - 3 }, (_, index) => row?.get(index + 4)?.value);
}

test("whatever visitors type comes back from its cell as it was typed, and so do the names of fields", async () => {
  const unit = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("_x0041_", "_x005F_", "_", "x00", "\r\n", "\0", "\u001f", "\ufffe", "]]>"),
    },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  );
  const typed = fc.array(unit, { maxLength: 6 }).map((parts) => parts.join(""));
  const pair = fc.tuple(typed, typed);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(pair, { maxLength: 8, selector: ([name]) => name }), async (pairs) => {
      const [sheet] = await write([Object.fromEntries(pairs)]);
      const entries = Object.entries(Object.fromEntries(pairs));
      const headings = valuesOf(sheet?.rows[0]);
      for (const [index, [name, value]] of entries.entries()) {
        assert.ok(headings[index] === name || String(headings[index]).startsWith(`${name} (field`), name);
        assert.equal(valuesOf(sheet?.rows[1])[index] ?? "", value);
      }
    }),
    { numRuns: 60 },
  );
});

test("nothing becomes a number, a date or a formula that was typed as a text", async () => {
  const typed = ["0123", "1e5", "+49 30 1234", "-5", "=1+1", "1/2", "TRUE", "12345678901234567890", ...naughtyStrings];
  const [sheet] = await write(typed.map((text) => ({ text })));
  const read = sheet?.rows.slice(1).map((row) => row.get(4));
  assert.deepEqual(
    read?.map((cell) => cell ?? { kind: "text", value: "" }),
    typed.map((value) => ({ kind: "text", value })),
  );
  assert.doesNotMatch(sheet?.xml ?? "", /<f[ >]/);
});

test("numbers, truth values and the moment of receipt are what they are; anything else is the text that CSV has", async () => {
  const fields = { n: -1.5e-7, yes: true, no: false, none: null, list: ["a", "b"], deep: { a: [1, null] } };
  const [sheet] = await write([fields]);
  assert.deepEqual(valuesOf(sheet?.rows[1]), [-1.5e-7, true, false, undefined, "a; b", '{"a":[1,null]}']);
  assert.deepEqual(
    [0, 1, 2, 3].map((column) => sheet?.rows[1]?.get(column)),
    [
      { kind: "text", value: "sub_1" },
      { kind: "time", value: 46_053.5 },
      { kind: "number", value: 3 },
      { kind: "text", value: "opened" },
    ],
  );
  const [long] = await write([{ whole: 9_007_199_254_740_991, fraction: 0.1 + 0.2, fits: 123_456_789_012_345 }]);
  assert.deepEqual(valuesOf(long?.rows[1]), ["9007199254740991", "0.30000000000000004", 123_456_789_012_345]);
  const rows: readonly ExportRow[] = [{ ...base, receivedAt: -8e15 }];
  const [early] = readWorkbook(await collect(formatXlsx(rows, findXlsxColumns(rows))));
  assert.deepEqual(early?.rows[1]?.get(1), { kind: "text", value: new Date(-8e15).toISOString() });
});

test("the headings stay in sight and are bold", async () => {
  const [sheet] = await write([{ name: "Zoë" }]);
  assert.match(sheet?.xml ?? "", /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/);
  assert.match(sheet?.xml ?? "", /<c r="E1" s="1"/);
});

test("a visitor's field never has the heading of a column of ours", async () => {
  const [sheet] = await write([{ _id: "another", _more: "m", "=x": "f" }]);
  const headings = Array.from(sheet?.rows[0]?.values() ?? [], ({ value }) => value);
  const ours = ["_id", "_receivedAt", "_keyVersion", "_status"];
  assert.deepEqual(headings, [...ours, "_id (field)", "_more (field)", "=x"]);
});

test("a text that no cell can hold is cut at its end, never in half a character, and each is counted", async () => {
  let cut = 0;
  const fits = "x".repeat(32_767);
  const [sheet] = await write([{ fits, long: `${fits}y`, half: `${"x".repeat(32_765)}😀😀` }], () => cut++);
  assert.deepEqual(valuesOf(sheet?.rows[1]), [fits, `${"x".repeat(32_766)}…`, `${"x".repeat(32_765)}…`]);
  assert.equal(cut, 2);
});

test("rows that a sheet has no room for begin another one, with the headings", async () => {
  const rows = Array.from({ length: 5 }, (_, index) => ({ ...base, id: `sub_${index}`, fields: { n: `${index}` } }));
  for (const limits of [
    { ...unlimited, rowsMax: 3 },
    { ...unlimited, sheetBytesMax: 1_400 },
  ]) {
    const sheets = readWorkbook(await collect(writeXlsx(rows, findXlsxColumns(rows), {}, limits)));
    assert.deepEqual(
      sheets.map(({ name }) => name),
      ["Submissions", "Submissions 2", "Submissions 3"],
    );
    for (const sheet of sheets) assert.equal(sheet.rows[0]?.get(4)?.value, "n");
    assert.deepEqual(
      sheets.flatMap((sheet) => sheet.rows.slice(1).map((row) => row.get(4)?.value)),
      ["0", "1", "2", "3", "4"],
    );
  }
});

test("a file that would be too large for a ZIP is refused, as is a sheet of too many columns", async () => {
  const rows = [{ ...base, fields: { n: "1" } }];
  const limits = { ...unlimited, fileBytesMax: 1_000 };
  await assert.rejects(collect(writeXlsx(rows, findXlsxColumns(rows), {}, limits)), RangeError);
  const names = Array.from({ length: 16_381 }, (_, index) => `n${index}`);
  assert.throws(() => createXlsxColumns(names), RangeError);
  assert.equal(createXlsxColumns(names.slice(1)).headings.length, 16_384);
});

test("the bytes come while the rows do, and no row is held", async () => {
  let [given, seen] = [0, 0];
  async function* rows(): AsyncGenerator<ExportRow> {
    for (; given < 5_000; given++)
      yield { ...base, id: `sub_${given}`, fields: { text: `${Math.sin(given)}`.repeat(20) } };
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of formatXlsx(rows(), createXlsxColumns(["text"]))) {
    if (seen === 0 && pieces.length > 2) seen = given;
    pieces.push(piece);
  }
  assert.ok(seen < 2_000, `${seen}`);
  const sheet = readZip(Buffer.concat(pieces)).get("xl/worksheets/sheet1.xml")?.toString() ?? "";
  assert.equal(sheet.split("<row ").length - 1, 5_001);
});
