import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../packages/server/src/database/database.ts";
import { listOldKeys } from "../../packages/server/src/database/key-worker.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { fillOldTables } from "./fill-old-tables.ts";
import { startDeliveryReceiver, startLoad } from "./hand-over.ts";
import { createCluster, createPlainForm } from "./processes.ts";

/** Both set by `npm run test:migration` (upgrade.ts). */
const oldFolder = process.env.SEALPOST_TEST_OLD_VERSION ?? assert.fail("run this by npm run test:migration");
const count = Number(process.env.SEALPOST_MIGRATION_ROWS ?? 1_000_000);
const kills = 10;

test("the keys of a large database change under load of the old and the new version, killed ten times: nothing is lost, nobody waits long", async (t) => {
  const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
  const cluster = await createCluster(t, receiver.environment);
  const { database } = cluster;
  // The old version makes its own tables.
  await sql`drop schema public cascade`.execute(database);
  await sql`create schema public`.execute(database);
  const old = await startServiceProcess(cluster.environment, [], { folder: oldFolder });
  closeAtEnd(t, () => old.kill());
  const form = await createPlainForm(old, await signUpForToken(old), { webhookUrl: receiver.url });
  await fillOldTables(database, count);
  const load = startLoad(form, old);
  await load.acceptedMore(500);
  t.diagnostic(`before: slowest request ${Math.round(load.slowestMilliseconds())} ms`);

  const waits = watchWaits(database);
  const begun = performance.now();
  let fresh = await cluster.start();
  for (let killed = 0; killed < kills; ) {
    load.direct([old, fresh], [old]);
    // By what is left: half of it are the attempts that have no form yet, half of it the keys.
    const left = await measureLeft(database);
    for (let now = left; now > left - 0.75 / kills && now > 0; now = await measureLeft(database)) await pause(200);
    await fresh.kill();
    killed += 1;
    t.diagnostic(`killed, ${Math.round(100 * (await measureLeft(database)))} % left`);
    fresh = await cluster.start();
  }
  load.direct([old, fresh], [old, fresh]);
  while ((await measureLeft(database)) > 0) await pause(50);
  const seconds = Math.round((performance.now() - begun) / 1000);
  await load.acceptedMore(500);
  load.direct([old, fresh], [fresh]);
  const ended = once(old.child, "exit");
  old.child.kill("SIGTERM");
  await ended;
  await load.acceptedMore(200);
  await load.stop();
  const longestWait = await waits.stop();
  assert.deepEqual(load.refused, []);
  await receiver.allArrived(load.accepted);
  const { rows } = await sql<{ submissions: number; attempts: number }>`
    select (select count(*) from submission) as submissions,
      (select count(*) from attempt a join delivery d on d.form_id = a.form_id and d.id = a.delivery_id
       where a.delivery_id like 'dlv_bulk%') as attempts`.execute(database);
  assert.deepEqual(rows[0], { submissions: count + load.accepted.size, attempts: count });
  t.diagnostic(
    `${count} rows of each table, ${kills} kills, ${seconds} s: ${load.accepted.size} accepted and delivered, slowest request ${Math.round(load.slowestMilliseconds())} ms, longest wait for a table seen ${Math.round(longestWait)} ms`,
  );
});

/** From 1 to 0. */
async function measureLeft(database: Database): Promise<number> {
  const keys = (await listOldKeys(database)).length;
  if (keys < 6) return keys / 12;
  const { rows } = await sql<{ left: number }>`
    select count(*) as left from attempt where form_id = '' and delivery_id like 'dlv_bulk%'`
    .execute(database)
    .catch(() => ({ rows: [] })); // before the migration
  return 0.5 + (0.5 * Number(rows[0]?.left ?? count)) / count;
}

/** Looks every 10 ms at how long statements of the service have been waiting for a table, besides those that change the keys. */
function watchWaits(database: Database) {
  let isOver = false;
  let longest = 0;
  async function look(): Promise<void> {
    while (!isOver) {
      const { rows } = await sql<{ milliseconds: number | null }>`
        select max(extract(epoch from clock_timestamp() - query_start)) * 1000 as milliseconds from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'relation' and state = 'active'
          and query not like 'create %' and query not like 'drop %' and query not like 'alter %'`.execute(database);
      longest = Math.max(longest, Number(rows[0]?.milliseconds ?? 0));
      await pause(10);
    }
  }
  const looking = look();
  return {
    async stop() {
      isOver = true;
      await looking;
      return longest;
    },
  };
}
