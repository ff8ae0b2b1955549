import assert from "node:assert/strict";
import { test } from "node:test";
import { CompiledQuery, sql } from "kysely";
import { createDirectUrl, onPostgresAlone } from "../testing/test-database.ts";
import { openPostgres } from "./database.ts";
import { createInsert } from "./insert-rows.ts";
import { executePipeline } from "./pipeline.ts";
import { createClientClass, planMilliseconds } from "./pooled-client.ts";
import { keepPlanned } from "./prepared-statements.ts";

test(
  "a statement is prepared once on a connection for any number of rows, also if it first came in a transaction that had failed",
  onPostgresAlone,
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

test(
  "the plan of a search that is kept prepared is at most a second old, also if the second ends in a transaction that has failed",
  onPostgresAlone,
  async (t) => {
    let now = 0;
    const traits = {
      hasNames: true,
      transactionSettings: new Set<string>(),
      now: () => now,
      onNamesLost: () => assert.fail("the names were lost"),
    };
    const client = new (createClientClass(traits))({ connectionString: await createDirectUrl(t), pipeline: true });
    await client.connect();
    const text = "select key from instance where key = any($1::text[])";
    keepPlanned(CompiledQuery.raw(text));
    const search = () => client.query(text, [["none"]]);
    const countCalls = async () => {
      const { rows } = await client.query(
        `select generic_plans + custom_plans as calls from pg_prepared_statements where statement like 'select key from instance%'`,
      );
      return rows.map(({ calls }) => Number(calls));
    };
    try {
      for (now of [0, 500, planMilliseconds - 1]) await search();
      assert.deepEqual(await countCalls(), [3]);
      now = planMilliseconds;
      await Promise.all([search(), search()]);
      assert.deepEqual(await countCalls(), [2]);

      now += planMilliseconds;
      const failed = ["begin", "select 1 / 0"].map((statement) => client.query(statement));
      const results = await Promise.allSettled([...failed, search(), client.query("rollback")]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ["fulfilled", "rejected", "rejected", "fulfilled"],
      );
      assert.deepEqual(await countCalls(), []);
      await search();
      assert.deepEqual(await countCalls(), [1]);
    } finally {
      await client.end();
    }
  },
);
