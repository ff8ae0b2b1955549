import assert from "node:assert/strict";
import { test } from "node:test";
import { purgeAccounts } from "../account-life/testing/purge-accounts.ts";
import { runGuarded } from "../database/guarded-transactions.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createBinPurgeStore } from "../retention/bin-purge-store.ts";
import { createPurgeStore } from "../retention/purge-store.ts";
import { purgeAll } from "../retention/purge-worker.ts";
import { createRetentionStore } from "../retention/retention-store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { exceptOnCluster, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { removeEnded } from "./ended-rows.ts";
import { cases, later, type Scene, take } from "./testing/called-back-cases.ts";
import { waitAtCommit } from "./testing/wait-at-commit.ts";

/** All steps of the worker, at `later`. */
async function purgeLater({ database }: TestService): Promise<void> {
  await purgeAll({
    purge: createPurgeStore(database),
    retention: createRetentionStore(database),
    bin: createBinPurgeStore(database),
    purgeAuditLog: async () => false,
    purgeEnded: (now) => removeEnded(database, now),
    purgeAccounts: async (now) => (await purgeAccounts({ database }, now)) > 0,
    remind: async () => false,
    clock: createFakeClock(later),
    wakeDeliveries: () => {},
    isStopped: () => false,
  });
}

/** `callBack` before the first transaction of `purge`, after what comes before it. False where there is no transaction. */
async function callBackBeforeTransaction(purge: () => Promise<void>, callBack: () => Promise<void>): Promise<boolean> {
  let isCalled = false;
  const before = async () => {
    if (isCalled) return;
    isCalled = true;
    await callBack();
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  runGuarded({ before, check: async () => {}, isOver: () => false }, () => resolve(purge()));
  await promise;
  return isCalled;
}

const all = Object.values(cases).flatMap((of) => (typeof of === "string" ? [] : Object.entries(of)));

test(
  "what is deleted by a clock is looked at again when it is deleted: what is called back while the purge has chosen it is not lost",
  exceptOnCluster,
  async (t) => {
    const service = await createTestService(t);
    const start = async (): Promise<Scene> => {
      const owner = await service.signUp();
      const formId = await createForm(owner, { encryption: false, binDays: 1 });
      await postPlain(service, formId);
      return { service, owner, formId, form: `/api/forms/${formId}` };
    };
    const lost: string[] = [];
    for (const [title, { prepare, writes }] of all) {
      const control = await prepare(await start());
      assert.ok(await control.isThere(), `${title}: it is there`);
      await purgeLater(service);
      assert.equal(await control.isThere(), false, `${title}: nobody calls it back`);
      const { callBack, isThere } = await prepare(await start());
      const purge = () => purgeLater(service);
      const call = async () => void (await take(callBack()));
      // A single statement of SQLite has nothing between choosing and deleting.
      const wasBetween =
        testDatabaseKind === "postgres"
          ? await waitAtCommit(service.database, writes, call, purge)
          : await callBackBeforeTransaction(purge, call);
      if (wasBetween && !(await isThere())) lost.push(title);
    }
    assert.deepEqual(lost, []);
  },
);
