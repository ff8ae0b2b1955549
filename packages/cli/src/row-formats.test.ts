import assert from "node:assert/strict";
import { test } from "node:test";
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
  const formulas = [
    "=1+1",
    "+49 30 1234",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\u00a0=1",
    "\u200b=1",
    "\ufeff=1",
    "\u202e=1",
    "\0=1",
    "＝1",
    "＋1",
    "－1",
    "＠1",
    '=HYPERLINK("https://evil.example")',
    "=cmd|' /C calc'!A0",
  ];
  for (const formula of formulas) {
    const quoted = `'${formula.replaceAll('"', '""')}`;
    assert.deepEqual((await cellsOf("name", formula))[1], quoted, JSON.stringify(formula));
  }
  // CR LF would split the header here; any other name is guarded as a value is.
  assert.equal((await cellsOf("=1+1", "x"))[0], "'=1+1");
});

test("a harmless value is not touched", async () => {
  for (const value of ["", "a=b", "1-2", "a@b.example", "0", "'=", "Zoë", "1+1", ";=1", " a", "…-"])
    assert.equal((await cellsOf("name", value))[1], value);
});

test("every cell is quoted, so that a spreadsheet that splits at semicolons finds no formula after one", async () => {
  assert.ok(
    (await write([{ ...base, status: "opened", fields: { name: "a;=1" } }], "csv")).endsWith('"opened","a;=1"\r\n'),
  );
});

test("fields named like members of every object, or like the leading columns, overwrite nothing", async () => {
  const fields = JSON.parse('{"__proto__":"p","constructor":"c","_id":"i","id":"j"}');
  const [header, line] = (
    await write(
      [
        { ...base, status: "opened", fields },
        { ...base, status: "opened", fields: {} },
      ],
      "csv",
    )
  ).split("\r\n");
  assert.equal(header, '"_id","_receivedAt","_keyVersion","_status","__proto__","constructor","_id (field)","id"');
  assert.equal(line, '"sub_1","2023-11-14T22:13:20.000Z","1","opened","p","c","i","j"');
});

test("at a terminal no format passes on what a terminal acts on; elsewhere every byte comes out as it was typed", async () => {
  const hostile = "\u001b]52;c;cm0gLXJm\u0007\u001b]0;title\u0007\u009b2J\u202egnp\u2066\u200b\u0000\b\u007fa\rb";
  const row = { ...base, status: "opened", fields: { [hostile]: hostile, lines: "a\r\nb\tc" } } as const;
  for (const format of ["csv", "json", "ndjson"] as const) {
    const shown = await write([row], format, { isTerminal: true });
    assert.doesNotMatch(shown, /[^\P{Cc}\n\r\t]|\p{Cf}|\r(?!\n)/u, format);
    const piped = await write([row], format);
    if (format === "csv") assert.ok(piped.includes(hostile));
    else assert.deepEqual([JSON.parse(piped)].flat(), [JSON.parse(shown)].flat(), "as JSON it still means the same");
  }
});
