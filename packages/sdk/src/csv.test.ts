import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import cells from "../../wire/vectors/spreadsheet-cells.json" with { type: "json" };
import { createCsvColumns, type ExportRow, findCsvColumns, formatCsvHead, formatCsvRow, guardFormula } from "./csv.ts";

const base = { id: "sub_1", receivedAt: 0, keyVersion: 1, status: "opened" } as const;
const leading = ["_id", "_receivedAt", "_keyVersion", "_status"];

/** The row of a program that reads by heading, as Python's csv.DictReader: of two headings alike the last one counts. */
function readByHeading(rows: readonly ExportRow[]): readonly Record<string, string>[] {
  const columns = findCsvColumns(rows);
  const [headings = [], ...lines] = [formatCsvHead(columns), ...rows.map((row) => formatCsvRow(row, columns))].map(
    split,
  );
  return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [headings[index], cell])));
}

function split(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n)/g)].map(([, cell = ""]) => cell.replaceAll('""', '"'));
}

test("a visitor's field never passes for a column of ours, whatever it is called", () => {
  const fields = {
    _id: "sub_of_another",
    _status: "could_not_be_opened",
    _ID: "x",
    " _id": "y",
    "_id\u200b": "z",
    _more: "m",
  };
  const [row] = readByHeading([{ ...base, fields }]);
  assert.deepEqual(row, {
    _id: "sub_1",
    _receivedAt: "1970-01-01T00:00:00.000Z",
    _keyVersion: "1",
    _status: "opened",
    "_id (field)": "sub_of_another",
    "_status (field)": "could_not_be_opened",
    "_ID (field)": "x",
    " _id (field)": "y",
    "_id\u200b (field)": "z",
    "_more (field)": "m",
  });
});

test("a renamed field takes the heading of no other, and the other keeps its own", () => {
  const fields = { _id: "first", "_id (field)": "second", "_id (field 2)": "third", "=x": "fourth", "'=x": "fifth" };
  const [row = {}] = readByHeading([{ ...base, fields }]);
  assert.deepEqual(Object.entries(row).slice(leading.length), [
    ["_id (field 3)", "first"],
    ["_id (field)", "second"],
    ["_id (field 2)", "third"],
    ["'=x (field)", "fourth"],
    ["'=x", "fifth"],
  ]);
  assert.match(formatCsvHead(createCsvColumns(["_id", "_id", "name"])), /,"_id \(field\)","name"\r\n$/);
});

test("whatever visitors call their fields, no two headings are alike and every value has its own", () => {
  const part = fc.constantFrom(
    "_id",
    "_more",
    "_STATUS",
    "=x",
    "'",
    " ",
    " (field)",
    " (field 2)",
    "\ud800",
    "\ud801",
    "\ufffd",
  );
  const name = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
      const fields = Object.fromEntries(names.map((field, index) => [field, `value ${index}`]));
      const [row = {}] = readByHeading([{ ...base, fields }]);
      assert.equal(row._id, "sub_1");
      assert.deepEqual(
        Object.values(row).slice(leading.length),
        names.map((_, index) => `value ${index}`),
      );
    }),
  );
});

test("60,000 names in one submission make no more columns than 500, and nothing of it is left out", () => {
  const odd = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`odd${index}`, `${index}`]));
  const rows = [odd, ...Array.from({ length: 300 }, () => ({ name: "Zoë" }))].map((fields) => ({ ...base, fields }));
  const columns = findCsvColumns(rows);
  const lines = rows.map((row) => formatCsvRow(row, columns));
  assert.equal(split(formatCsvHead(columns)).length, leading.length + 500 + 1);
  assert.ok(columns.names.has("name"), "the form's own field keeps its column");
  assert.ok(lines.join("").length < 3_000_000, "30 KB of submissions became 55 MB when every name was a column");
  const cells = split(lines[0] ?? "");
  const rest = JSON.parse(cells.at(-1) ?? "");
  assert.equal(cells.slice(leading.length, -1).filter((cell) => cell !== "").length + Object.keys(rest).length, 60_000);
});

test("a cell that a spreadsheet could take for a formula gets an apostrophe, a telephone number or a number gets none", () => {
  for (const { cell, written } of cells.guarded) assert.equal(guardFormula(cell), written, JSON.stringify(cell));
  for (const cell of cells.unguarded) assert.equal(guardFormula(cell), cell, JSON.stringify(cell));
});

test("of two cells, of which the first ends at a mark, a number in the second one is guarded as well, and so is a name that begins with a sign", () => {
  const fields = { "+49": "1", "a,": "x; ", b: "-5", c: "-5" };
  const columns = findCsvColumns([{ fields }]);
  assert.ok(formatCsvHead(columns).endsWith(`,"'+49","a,","b","c"\r\n`));
  assert.ok(formatCsvRow({ ...base, fields }, columns).endsWith(`,"1","x; ","'-5","-5"\r\n`));
});

test("a line has the chosen mark between its cells, whatever is in them", () => {
  const columns = createCsvColumns(["a;b", "c"]);
  const row = { ...base, fields: { "a;b": "1;2\t3,4", c: "5" } };
  const leadingCells = ["sub_1", "1970-01-01T00:00:00.000Z", "1", "opened"];
  for (const [separator, mark] of [
    ["comma", ","],
    ["semicolon", ";"],
    ["tab", "\t"],
  ] as const) {
    const quoted = (texts: readonly string[]) => `${texts.map((text) => `"${text}"`).join(mark)}\r\n`;
    assert.equal(formatCsvHead(columns, separator), quoted([...leading, "a;b", "c"]));
    assert.equal(formatCsvRow(row, columns, separator), quoted([...leadingCells, "1;2\t3,4", "5"]));
  }
});
