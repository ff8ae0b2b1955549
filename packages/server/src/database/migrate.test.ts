import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { migrate, migrations } from "./migrate.ts";
import { openSqlite } from "./open-sqlite.ts";

test("migrating twice changes nothing the second time", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const database = openSqlite(folder);
  t.after(() => database.destroy());
  const schema = () => sql`select sql from sqlite_schema order by name`.execute(database).then(({ rows }) => rows);
  await migrate(database);
  const first = await schema();
  await migrate(database);
  assert.deepEqual(await schema(), first);
  assert.ok(first.length > 30);
});

test("an older version refuses the database of a newer one, and changes nothing", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const database = openSqlite(folder);
  t.after(() => database.destroy());
  await migrate(database, { ...migrations, "9999-newer": { up: async () => {} } });
  const schema = () => sql`select sql from sqlite_schema order by name`.execute(database).then(({ rows }) => rows);
  const before = await schema();
  await assert.rejects(migrate(database), {
    message:
      "A newer version of Sealpost was started on this database (9999-newer): run that version, or restore a backup that this one has made",
  });
  assert.deepEqual(await schema(), before);
});

test("a commit is on the disk before it is reported", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const database = openSqlite(folder);
  t.after(() => database.destroy());
  const { rows } = await sql`select synchronous, journal_mode from pragma_synchronous, pragma_journal_mode`.execute(
    database,
  );
  assert.deepEqual(
    rows.map((row) => ({ ...(row as object) })),
    [{ synchronous: 2, journal_mode: "wal" }],
  );
});
