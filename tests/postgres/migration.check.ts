import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { listStepsLeft } from "../../packages/server/src/database/background-worker.ts";
import type { Database } from "../../packages/server/src/database/database.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { onPostgresAlone } from "../../packages/server/src/testing/test-database.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { startDeliveryReceiver, startLoad } from "./hand-over.ts";
import { nextVersion } from "./next-version.ts";
import { createCluster, createPlainForm } from "./processes.ts";

const count = Number(process.env.SEALPOST_MIGRATION_ROWS ?? 1_000_000);
const kills = Number(process.env.SEALPOST_MIGRATION_KILLS ?? 10);
/** How many accepted submissions each stage waits for. */
const some = 500;

test(
  `a next version's migration of ${count} rows is killed ${kills} times while this version serves: nothing accepted is lost, every row is right`,
  onPostgresAlone,
  async (t) => {
    const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
    const cluster = await createCluster(t, receiver.environment);
    const { database } = cluster;
    const serving = await cluster.start();
    const form = await createPlainForm(serving, await signUpForToken(serving), { webhookUrl: receiver.url });
    await fillTables(database, count);
    const load = startLoad(form, serving);
    await load.acceptedMore(some);

    const startNext = async (): Promise<ServiceProcess> => {
      const next = await startServiceProcess(
        { ...cluster.environment, NODE_OPTIONS: "--conditions=@sealpost/source" },
        [],
        {
          installed: join(import.meta.dirname, "next-version.ts"),
        },
      );
      closeAtEnd(t, () => next.kill());
      return next;
    };
    let next = await startNext();
    for (let killed = 0; killed < kills; killed++) {
      load.direct([serving, next], [serving]);
      const left = await countLeft(database);
      // Between the kills it comes so far that the last ones are in the index and the key.
      while ((await countLeft(database)) > left - (1.1 * count) / kills && (await countLeft(database)) > 1000)
        await pause(5);
      await next.kill();
      t.diagnostic(`killed, ${await countLeft(database)} rows left`);
      next = await startNext();
    }
    load.direct([serving, next], [serving, next]);
    await load.acceptedMore(some);
    const attemptKey = () =>
      listStepsLeft(
        database,
        nextVersion.backgroundSteps.filter(({ kind }) => kind !== "fill"),
      );
    while ((await attemptKey()).length > 0) await pause(50);
    await load.acceptedMore(some);
    await load.stop();
    assert.deepEqual(load.refused, []);
    await receiver.allArrived(load.accepted);
    // The rows written since the last look are filled in by the next one, which a start begins with.
    await next.kill();
    next = await startNext();
    while ((await listStepsLeft(database, nextVersion.backgroundSteps)).length > 0) await pause(50);

    const { rows } = await sql`
      select (select count(*)::int from submission) as submissions,
        (select count(*)::int from submission where received_day = received_at / 86400000) as right,
        (select count(*)::int from attempt where delivery_id like 'dlv_bulk%') as attempts`.execute(database);
    const submissions = count + load.accepted.size;
    assert.deepEqual(rows, [{ submissions, right: submissions, attempts: count }]);
    t.diagnostic(`${load.accepted.size} accepted, slowest request ${Math.round(load.slowestMilliseconds())} ms`);
  },
);

async function countLeft(database: Database): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*)::int as left from submission where received_day is null`.execute(database);
  return rows[0]?.left ?? 0;
}

/** `rows` submissions of 1,000 forms, and as many attempts. */
async function fillTables(database: Database, rows: number): Promise<void> {
  const form = sql.raw("'form_bulk' || lpad((i % 1000)::text, 12, '0')");
  const series = sql.raw(`generate_series(1, ${rows}) i`);
  await sql`insert into submission (form_id, id, key_version, version, data, key, iv, timestamp, received_at)
    select ${form}, 'sub_bulk' || i, 1, 'sp1', decode(repeat(md5(i::text), 20), 'hex'), decode(md5(i::text), 'hex'), '\\x00',
      i * 1000000::bigint, i * 1000000::bigint from ${series}`.execute(database);
  await sql`insert into attempt (delivery_id, form_id, number, started_at, duration, status_code, url, secret_used)
    select 'dlv_bulk' || i, ${form}, 1, i, 5, 204, 'https://receiver.example/', 'current' from ${series}`.execute(
    database,
  );
  await sql`analyze`.execute(database);
}
