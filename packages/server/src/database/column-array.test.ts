import assert from "node:assert/strict";
import { test } from "node:test";
import { CompiledQuery } from "kysely";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onPostgres, openTestDatabase } from "../testing/test-database.ts";
import { type Columns, encodeColumn, encodeColumns, printColumns } from "./column-array.ts";

const columns = { word: "text", number: "bigint", bytes: "bytea" } satisfies Columns;

test("PostgreSQL reads from columns what was put into them", onPostgres, async (t) => {
  const database = await openTestDatabase(t, createTemporaryFolder(t));
  const read = async (rows: readonly (readonly unknown[])[]) => {
    const text = `select * from ${printColumns(columns)} as line(word, number, bytes)`;
    const result = await database.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(text, encodeColumns(columns, rows)),
    );
    return result.rows.map(({ word, number, bytes }) => [word, number, bytes]);
  };
  const rows = [
    ["", 0, Buffer.alloc(0)],
    ['{"a", NULL, \\ }', -1, Buffer.from([0, 1, 0x5c, 0xff])],
    ["Ünïcode 🦭 שלום", Number.MAX_SAFE_INTEGER, Buffer.alloc(100_000, 7)],
    [null, null, null],
    ["null", Number.MIN_SAFE_INTEGER, Buffer.from("NULL")],
  ];
  try {
    assert.deepEqual(await read(rows), rows);
    assert.deepEqual(await read(rows.slice(0, 1)), rows.slice(0, 1));
    assert.deepEqual(await read([]), []);
  } finally {
    await database.destroy();
  }
});

test("a column refuses what is not of its type", () => {
  assert.throws(() => encodeColumn("text", ["a", 1]), TypeError);
  assert.throws(() => encodeColumn("bigint", ["1"]), TypeError);
  assert.throws(() => encodeColumn("bigint", [1.5]), RangeError);
  assert.throws(() => encodeColumn("bytea", ["abc"]), TypeError);
});
