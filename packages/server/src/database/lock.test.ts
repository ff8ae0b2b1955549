import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onPostgres, openTestDatabase } from "../testing/test-database.ts";
import type { Database, DatabaseTransaction } from "./database.ts";
import { compileFormShareLock, lockForm } from "./lock.ts";
import { holdRight, lockRightsIn, lockRightsOf, lockRightsOfKey } from "./right-lock.ts";

type Lock = (transaction: DatabaseTransaction) => Promise<unknown>;

const [organizationId, personId, keyId, formId] = ["acct_1", "acct_2", "key_1", "form_1"];
const bySession: Lock = (transaction) =>
  holdRight(transaction, { kind: "session", organizationId, personId }, undefined);
const byKey: Lock = (transaction) =>
  holdRight(transaction, { kind: "api_key", organizationId, keyId, madeBy: personId }, undefined);
const submitting: Lock = async (transaction) => {
  const query = compileFormShareLock(transaction, [formId]);
  if (query !== undefined) await transaction.executeQuery(query);
};
const keeping: Lock = (transaction) => lockForm(transaction, formId, "keep");

/** Pairs of something that many do at once, and something that waits for them. */
const cases: readonly (readonly [name: string, sharing: Lock, taking: Lock])[] = [
  ["all rights of the person", bySession, (transaction) => lockRightsOf(transaction, personId)],
  ["all rights of the key's maker", byKey, (transaction) => lockRightsOf(transaction, personId)],
  ["a membership", bySession, (transaction) => lockRightsOf(transaction, personId, organizationId)],
  ["the membership of the key's maker", byKey, (transaction) => lockRightsOf(transaction, personId, organizationId)],
  ["the rule of an organization", bySession, (transaction) => lockRightsIn(transaction, organizationId)],
  ["the rule of the key's organization", byKey, (transaction) => lockRightsIn(transaction, organizationId)],
  ["an API key", byKey, (transaction) => lockRightsOfKey(transaction, keyId)],
  ["a change of a form", submitting, (transaction) => lockForm(transaction, formId, "change")],
  [
    "a form's deletion, while it gets submissions",
    submitting,
    (transaction) => lockForm(transaction, formId, "remove"),
  ],
  ["a form's deletion, while rows are added to it", keeping, (transaction) => lockForm(transaction, formId, "remove")],
];

test("who takes a right away, or changes a form, comes before all that begins later", onPostgres, async (t) => {
  const database = await openTestDatabase(t, createTemporaryFolder(t));
  t.after(() => database.destroy());
  for (const [name, sharing, taking] of cases) {
    const order: string[] = [];
    const first = await begin(database, sharing);
    await first.locked;
    const taker = await begin(database, taking);
    taker.locked.then(() => order.push("taker"));
    await waitFor(database, 1);
    const second = await begin(database, sharing);
    second.locked.then(() => order.push("second"));
    await Promise.race([waitFor(database, 2), second.locked]);
    assert.deepEqual(order, [], name);
    await first.end();
    await taker.locked;
    await taker.end();
    await second.locked;
    assert.deepEqual(order, ["taker", "second"], name);
    await second.end();
  }
});

/** A transaction that takes a lock, and then waits. */
async function begin(database: Database, lock: Lock) {
  const [begun, locked, end] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const ended = database.transaction().execute(async (transaction) => {
    begun.resolve();
    await lock(transaction);
    locked.resolve();
    await end.promise;
  });
  await begun.promise;
  return {
    locked: locked.promise,
    async end() {
      end.resolve();
      await ended;
    },
  };
}

/** Resolves once so many transactions wait for a lock. */
async function waitFor(database: Database, count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
    if (Number(rows[0]?.waiting) >= count) return;
  }
}
