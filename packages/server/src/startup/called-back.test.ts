import assert from "node:assert/strict";
import { test } from "node:test";
import { runGuarded } from "../database/transaction-guard.ts";
import { exceptOnCluster, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { cases, take } from "./testing/called-back-cases.ts";
import { createScene, purgeLater } from "./testing/purge-later.ts";
import { waitAtCommit } from "./testing/wait-at-commit.ts";

/** `callBack` before the first transaction of `purge`, after what comes before it. False where there is no transaction. */
async function callBackBeforeTransaction(purge: () => Promise<void>, callBack: () => Promise<void>): Promise<boolean> {
  let isCalled = false;
  const before = async () => {
    if (isCalled) return;
    isCalled = true;
    await callBack();
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  runGuarded({ before, takePlace: async () => () => {}, check: async () => {}, isOver: () => false }, () =>
    resolve(purge()),
  );
  await promise;
  return isCalled;
}

const all = Object.values(cases).flatMap((of) => (typeof of === "string" ? [] : Object.entries(of)));

test(
  "what is deleted by a clock is looked at again when it is deleted: what is called back while the purge has chosen it is not lost",
  exceptOnCluster,
  async (t) => {
    const service = await createTestService(t);
    const lost: string[] = [];
    for (const [title, { prepare, writes }] of all) {
      const control = await prepare(await createScene(service));
      assert.ok(await control.isThere(), `${title}: it is there`);
      await purgeLater(service);
      assert.equal(await control.isThere(), false, `${title}: nobody calls it back`);
      const { callBack, isThere } = await prepare(await createScene(service));
      const purge = () => purgeLater(service);
      // A single statement of SQLite has nothing between choosing and deleting: it has deleted by the first transaction of another step.
      let isLate = false;
      const call = async () => {
        isLate = testDatabaseKind === "sqlite" && !(await isThere());
        if (!isLate) await take(callBack());
      };
      const wasBetween =
        testDatabaseKind === "postgres"
          ? await waitAtCommit(service.database, writes, call, purge)
          : await callBackBeforeTransaction(purge, call);
      if (wasBetween && !isLate && !(await isThere())) lost.push(title);
    }
    assert.deepEqual(lost, []);
  },
);
