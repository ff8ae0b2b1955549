import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createDirectUrl, onPostgres } from "../testing/test-database.ts";
import { openPostgres } from "./database.ts";
import { createInsert } from "./insert-rows.ts";
import { executePipeline } from "./pipeline.ts";

test(
  "a statement is prepared once on a connection for any number of rows, also if it first came in a transaction that had failed",
  onPostgres,
  async (t) => {
    const database = openPostgres(await createDirectUrl(t));
    const insert = createInsert({ table: "instance", columns: { key: "text", value: "text" } });
    const rowsOf = (...keys: string[]) => keys.map((key) => [key, "value"]);
    try {
      await database.connection().execute(async (connection) => {
        const failing = connection.transaction().execute(async (transaction) => {
          const divide = sql`select 1 / 0`.compile(transaction);
          await executePipeline(transaction, [divide, insert(transaction, rowsOf("lost"))]);
        });
        await assert.rejects(failing, /division by zero/);
        for (const rows of [rowsOf("a"), rowsOf("b", "c"), rowsOf("d", "e", "f")]) {
          await connection
            .transaction()
            .execute((transaction) => executePipeline(transaction, [insert(transaction, rows)]));
        }
        const { rows: kept } = await sql<{ calls: number }>`
          select generic_plans + custom_plans as calls from pg_prepared_statements where statement like 'insert into instance %'
        `.execute(connection);
        assert.deepEqual(kept, [{ calls: 3 }]);
        const stored = await connection.selectFrom("instance").select("key").where("value", "=", "value").execute();
        assert.deepEqual(stored.map(({ key }) => key).sort(), ["a", "b", "c", "d", "e", "f"]);
      });
    } finally {
      await database.destroy();
    }
  },
);
