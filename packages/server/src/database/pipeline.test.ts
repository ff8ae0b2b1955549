import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { createInsert } from "./insert-rows.ts";
import { migrate } from "./migrate.ts";
import { commitPipeline } from "./pipeline.ts";

const insert = createInsert({ table: "instance", columns: { key: "text", value: "text" } });

test("a transaction whose last statement fails leaves nothing, and says what failed", async (t) => {
  const database = await openTestDatabase(t, createTemporaryFolder(t));
  await migrate(database);
  const store = (key: string, last: readonly string[]) =>
    commitPipeline(database, async (transaction) => {
      await transaction.executeQuery(insert(transaction, [[key, "value"]]));
      const statements = last.map((other) => insert(transaction, [[other, "value"]]));
      return { result: key, last: [undefined, ...statements] };
    });
  const readKeys = async () => {
    const rows = await database.selectFrom("instance").select("key").where("value", "=", "value").execute();
    return rows.map(({ key }) => key).sort();
  };
  try {
    assert.equal(await store("a", ["b", "c"]), "a");
    assert.equal(await store("d", []), "d");
    await assert.rejects(store("e", ["f", "a", "g"]), /unique/i);
    assert.deepEqual(await readKeys(), ["a", "b", "c", "d"]);
    await assert.rejects(
      commitPipeline(database, async (transaction) => {
        await transaction.executeQuery(insert(transaction, [["h", "value"]]));
        return { result: undefined, last: [sql`select no_such_column`.compile(transaction)] };
      }),
      /no_such_column/,
    );
    assert.equal(await store("e", ["f"]), "e");
    assert.deepEqual(await readKeys(), ["a", "b", "c", "d", "e", "f"]);
  } finally {
    await database.destroy();
  }
});
