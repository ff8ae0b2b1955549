import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onPostgresAlone, openTestDatabase } from "../testing/test-database.ts";
import { formTables } from "./distributed-tables.ts";

test("each unique key of a submission's tables contains the form", onPostgresAlone, async (t) => {
  const database = await openTestDatabase(t, createTemporaryFolder(t));
  closeAtEnd(t, () => database.destroy());
  const list = (having: string) =>
    sql<{ index: string }>`
      select i.indexrelid::regclass::text as index from pg_index i
      where i.indisunique and i.indrelid = any(${[...formTables]}::regclass[]) and ${sql.raw(having)} (
        select 1 from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any(i.indkey) and a.attname = 'form_id')`.execute(
      database,
    );
  assert.deepEqual((await list("not exists")).rows, []);
  assert.ok((await list("exists")).rows.length >= formTables.length);
});
