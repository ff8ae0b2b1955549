import assert from "node:assert/strict";
import { test } from "node:test";
import { watchWrites } from "./count-writes.ts";
import { exceptOnCluster } from "./test-database.ts";
import { createTestService } from "./test-service.ts";

test(
  "a row that is inserted, changed or deleted is counted, also in a transaction that is rolled back, and reading is not",
  exceptOnCluster,
  async (t) => {
    const service = await createTestService(t);
    const { database } = service;
    const countWrites = await watchWrites(database);
    let before = await countWrites();
    async function assertCounted(isCounted: boolean, work: () => Promise<unknown>): Promise<void> {
      await work();
      const now = await countWrites();
      assert.equal(now !== before, isCounted, String(work));
      before = now;
    }
    const row = { key: "written", value: "1" };
    await assertCounted(false, () => database.selectFrom("instance").selectAll().execute());
    await assertCounted(true, () => database.insertInto("instance").values(row).execute());
    await assertCounted(true, () =>
      database.updateTable("instance").set({ value: "2" }).where("key", "=", row.key).execute(),
    );
    await assertCounted(false, () =>
      database.updateTable("instance").set({ value: "3" }).where("key", "=", "none").execute(),
    );
    await assertCounted(true, () => database.deleteFrom("instance").where("key", "=", row.key).execute());
    await assertCounted(true, async () => {
      const transaction = await database.startTransaction().execute();
      await transaction.insertInto("instance").values(row).execute();
      await transaction.rollback().execute();
    });
  },
);
