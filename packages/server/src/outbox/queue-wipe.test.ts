import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { createDeliveryBench } from "../deliveries/testing/delivery-bench.ts";
import { onPostgres } from "../testing/test-database.ts";
import { createAuthority } from "../webhooks/testing/receiver.ts";
import { wipeMarkedBodies, wipeSubmissionBodies } from "./queue-wipe.ts";

/** Resolves when a transaction waits for another one's row. */
async function waitForWaiting(database: Database): Promise<void> {
  // On a cluster it waits on another server than the one that is asked.
  const waiting = isDistributed(database)
    ? sql`select 1 from citus_lock_waits`
    : sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    const { rows } = await waiting.execute(database);
    if (rows.length > 0) return;
  }
}

test("a body is wiped although its last delivery ends at the same moment in another process", onPostgres, async (t) => {
  const { database, createWebhook, record } = await createDeliveryBench(t, { authority: await createAuthority() });
  const { formId } = await createWebhook("https://receiver.example/");
  const submissionId = createId("submission");
  const deliveryId = await record(formId, { kind: "submission.created", submissionId });

  const ending = await database.startTransaction().execute();
  await ending.deleteFrom("delivery_queue").where("delivery_id", "=", deliveryId).execute();
  await wipeMarkedBodies(ending, [[formId, deliveryId]]);
  const wiping = database
    .transaction()
    .execute((transaction) => wipeSubmissionBodies(transaction, formId, [submissionId]));
  await Promise.race([wiping, waitForWaiting(database)]);
  await ending.commit().execute();
  await wiping;
  assert.deepEqual(await database.selectFrom("event").select(["body", "wipe"]).execute(), [{ body: null, wipe: 0 }]);
});
