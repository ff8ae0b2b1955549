import assert from "node:assert/strict";
import { test } from "node:test";
import { exactFieldsOf } from "@sealpost/wire";
import { readWorkbook } from "../../../tests/support/workbook.ts";
import { formatRows, type RowFormat, type RowFormatOptions } from "./row-formats.ts";
import type { SubmissionRow } from "./submission-row.ts";

const base = { id: "sub_1", receivedAt: 1_700_000_000_000, timestamp: 1_699_999_999_000, keyVersion: 1 } as const;
const rows: readonly SubmissionRow[] = [
  { ...base, status: "opened", fields: { name: 'Zoë "Z" 😀', topics: ["a", "b"] } },
  { ...base, id: "sub_2", status: "no_key" },
  {
    ...base,
    id: "sub_3",
    status: "not_sealed",
    fields: { name: "a\nb", more: { deep: [1, null] }, agree: true, none: null },
  },
];

async function* iterate(items: readonly SubmissionRow[]) {
  yield* items;
}

async function write(items: readonly SubmissionRow[], format: RowFormat, options?: RowFormatOptions): Promise<string> {
  let text = "";
  for await (const piece of formatRows(iterate(items), format, options)) text += piece;
  return text;
}

/** The cell of a CSV that holds one field of this name and value: the header and the value, unquoted. */
async function cellsOf(name: string, value: string): Promise<readonly string[]> {
  const [header = "", line = ""] = (
    await write([{ ...base, status: "opened", fields: { [name]: value } }], "csv")
  ).split("\r\n");
  return [header, line].map((text) => text.slice(text.lastIndexOf(',"') + 2, -1));
}

test("JSON and NDJSON hold every row with its status and every value as it was typed", async () => {
  assert.deepEqual(JSON.parse(await write(rows, "json")), rows);
  assert.deepEqual(JSON.parse(await write([], "json")), []);
  const lines = (await write(rows, "ndjson")).split("\n");
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    rows,
  );
  assert.equal(await write([], "ndjson"), "");
});

// Row B10 of the findings on 6a710908, shown by export.test.ts.
test("B10: every format writes a number with the digits that were sealed, also where JavaScript has no such number", async () => {
  const text = '{"whole":9007199254740993,"large":-1e400,"point":1.0,"list":[1e400,"x",{"a":-0}]}';
  const fields = exactFieldsOf({ fields: JSON.parse(text), text });
  const items: readonly SubmissionRow[] = [{ ...base, status: "opened", fields }];
  for (const options of [{}, { isTerminal: true }]) {
    const line = await write(items, "ndjson", options);
    assert.ok(line.endsWith(`"status":"opened","fields":${text}}\n`), line);
    assert.equal(await write(items, "json", options), `[\n${line.trimEnd()}\n]\n`);
  }
  const [, row = ""] = (await write(items, "csv")).split("\r\n");
  assert.ok(row.endsWith(',"9007199254740993","\'-1e400","1.0","[1e400,""x"",{""a"":-0}]"'), row);
  const [, others = ""] = (await write(items, "csv", { columns: ["whole"] })).split("\r\n");
  assert.ok(others.endsWith(',"9007199254740993"'));
  const pieces: Uint8Array[] = [];
  for await (const piece of formatRows(iterate(items), "xlsx")) pieces.push(Buffer.from(piece));
  const cells = readWorkbook(Buffer.concat(pieces))[0]?.rows[1];
  assert.deepEqual(
    [4, 5, 6, 7].map((column) => cells?.get(column)),
    ["9007199254740993", "-1e400", "1.0", '[1e400,"x",{"a":-0}]'].map((value) => ({ kind: "text", value })),
  );
});

test("an export that breaks off is no valid JSON", async () => {
  let text = "";
  await assert.rejects(
    async () => {
      async function* broken() {
        yield* rows;
        throw new Error("cut");
      }
      for await (const piece of formatRows(broken(), "json")) text += piece;
    },
    { message: "cut" },
  );
  assert.throws(() => JSON.parse(text));
});

test("CSV has a column for every field that occurs, quoted throughout, lines ended by CR LF", async () => {
  assert.equal(
    await write(rows, "csv"),
    [
      '"_id","_receivedAt","_keyVersion","_status","name","topics","more","agree","none"',
      '"sub_1","2023-11-14T22:13:20.000Z","1","opened","Zoë ""Z"" 😀","a; b","","",""',
      '"sub_2","2023-11-14T22:13:20.000Z","1","no_key","","","","",""',
      '"sub_3","2023-11-14T22:13:20.000Z","1","not_sealed","a\nb","","{""deep"":[1,null]}","true",""',
      "",
    ].join("\r\n"),
  );
});

test("CSV with named columns has exactly those, in that order, and each line is written when its row comes", async () => {
  const pieces: string[] = [];
  let read = 0;
  async function* counted() {
    for (const row of rows) {
      read++;
      yield row;
    }
  }
  for await (const piece of formatRows(counted(), "csv", { columns: ["none", "name"], byteOrderMark: true }))
    pieces.push(`${read}${piece}`);
  assert.equal(pieces[0], "0\uFEFF");
  assert.equal(pieces[1], '0"_id","_receivedAt","_keyVersion","_status","none","name"\r\n');
  assert.equal(pieces[2], '1"sub_1","2023-11-14T22:13:20.000Z","1","opened","","Zoë ""Z"" 😀"\r\n');
});

test("a value or a field name that a spreadsheet could take for a formula is made a text", async () => {
  for (const [name, value] of [
    ["=1+1", "@SUM(A1)"],
    ["+49 30 1234", "+49 30 1234"],
    ["name", "hello;=1+1"],
  ] as const) {
    const [header, cell] = await cellsOf(name, value);
    assert.deepEqual([header, cell], [name.replace(/^[=+]/, "'$&"), value.replace(/[=@](?=1|S)/, "'$&")]);
  }
});

test("XLSX has every row in a cell of its own, with all fields or the named ones", async () => {
  for (const [columns, headings, values] of [
    [undefined, ["name", "topics", "more", "agree", "none"], ['Zoë "Z" 😀', "a; b"]],
    [["topics"], ["topics"], ["a; b"]],
  ] as const) {
    const pieces: Buffer[] = [];
    for await (const piece of formatRows(iterate(rows), "xlsx", { columns })) pieces.push(Buffer.from(piece));
    const [sheet] = readWorkbook(Buffer.concat(pieces));
    const cells = sheet?.rows.map((row) => Array.from(row.values(), ({ value }) => value)) ?? [];
    assert.deepEqual(cells[0]?.slice(4), headings);
    assert.deepEqual(cells[1]?.slice(4), values);
    assert.deepEqual([cells.length, cells[2]?.slice(3)], [4, ["no_key"]]);
  }
});
