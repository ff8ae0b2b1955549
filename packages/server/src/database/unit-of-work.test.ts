import assert from "node:assert/strict";
import { test } from "node:test";
import { createStatementCuts } from "../testing/cut-statements.ts";
import { createTestService } from "../testing/test-service.ts";
import { createLoop } from "../time/loop.ts";
import { afterUnit, findUnit, runAsUnit } from "./unit-of-work.ts";

test("what looks for the rows of a unit is woken once they are there, and asks in a transaction of its own", async (t) => {
  const { database, signUp } = await createTestService(t);
  const { id } = await signUp();
  const names: (string | undefined)[] = [];
  const looked = Promise.withResolvers<void>();
  const loop = createLoop({
    everyMilliseconds: 3_600_000,
    async run() {
      assert.equal(findUnit(database), undefined);
      const row = await database.selectFrom("person").select("name").where("id", "=", id).executeTakeFirst();
      names.push(row?.name);
      looked.resolve();
    },
    report: looked.reject,
  });
  t.after(() => loop.stop());
  await runAsUnit(database, async () => {
    afterUnit(database, loop.wake);
    await database.updateTable("person").set({ name: "Changed" }).where("id", "=", id).execute();
    assert.deepEqual(names, []);
  });
  await looked.promise;
  assert.deepEqual(names, ["Changed"]);
});

test("what waits for the end of a unit is woken also where its commit failed, whose answer may be lost", async (t) => {
  const cuts = createStatementCuts(t);
  const { database, signUp } = await createTestService(t);
  const { id } = await signUp();
  let woken = 0;
  const change = () =>
    runAsUnit(database, async () => {
      afterUnit(database, () => {
        woken += 1;
      });
      await database.updateTable("person").set({ name: "Changed" }).where("id", "=", id).execute();
    });
  await assert.rejects(cuts.during(0, change));
  assert.equal(woken, 1);
});

test("a loop that is woken within a unit is no part of it", async (t) => {
  const { database } = await createTestService(t);
  const units: unknown[] = [];
  const ran = Promise.withResolvers<void>();
  const loop = createLoop({
    everyMilliseconds: 3_600_000,
    async run() {
      units.push(findUnit(database));
      ran.resolve();
    },
    report: ran.reject,
  });
  t.after(() => loop.stop());
  await runAsUnit(database, async () => {
    assert.notEqual(findUnit(database), undefined);
    loop.wake();
    await ran.promise;
  });
  assert.deepEqual(units, [undefined]);
});
