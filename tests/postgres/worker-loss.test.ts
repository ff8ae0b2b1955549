import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { sql } from "kysely";
import type { Database } from "../../packages/server/src/database/database.ts";
import { askWorkers } from "../../packages/server/src/database/worker-questions.ts";
import { checkWorkers } from "../../packages/server/src/doctor/check-workers.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { startFormsLoad } from "./forms-load.ts";
import { startDeliveryReceiver } from "./hand-over.ts";
import { createCluster, createPlainForm } from "./processes.ts";

/** Commands for a shell, of `npm run test:citus -- URL --kill-worker CMD --start-worker CMD`: they have one worker in common. */
const { SEALPOST_TEST_KILL_WORKER: killCommand, SEALPOST_TEST_START_WORKER: startCommand } = process.env;
const withCommands = {
  skip:
    (killCommand === undefined || startCommand === undefined) &&
    "needs a Citus cluster, and commands that kill and start one of its workers: npm run test:citus -- URL --kill-worker CMD --start-worker CMD",
};
const rounds = Number(process.env.SEALPOST_KILL_ROUNDS ?? 3);
const formCount = 24;
const metricsToken = "worker-loss-test-only-metrics-token";

test(
  "a worker of a cluster is killed under load, again and again: the other forms are accepted and delivered meanwhile, nothing that was answered is lost",
  withCommands,
  async (t) => {
    const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
    const cluster = await createCluster(t, { ...receiver.environment, SEALPOST_METRICS_TOKEN: metricsToken });
    // The databases of a test are removed from all of them.
    closeAtEnd(t, () => run(startCommand).catch(() => undefined));
    const service = await cluster.start();
    const token = await signUpForToken(service);
    const formIds: string[] = [];
    for (let count = 0; count < formCount; count++)
      formIds.push(await createPlainForm(service, token, { webhookUrl: receiver.url }));
    const places = await findPlaces(cluster.database, formIds);
    const load = startFormsLoad(service, formIds);
    const readAway = async () => {
      const headers = { authorization: `Bearer ${metricsToken}` };
      const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
      return Number(/^sealpost_cluster_workers_away (\d+)$/m.exec(text)?.[1]);
    };
    for (let round = 0; round < rounds; round++) {
      await load.acceptedMore(100, formIds);
      await run(killCommand);
      const worker = await findAway(cluster.database);
      const lost = formIds.filter((id) => places.get(id) === worker);
      const kept = formIds.filter((id) => places.get(id) !== worker);
      assert.ok(lost.length > 0 && kept.length > 0, "a control: both workers have forms");
      await load.refusedMore(5, lost);
      assert.equal(await readAway(), 1);
      const [finding] = (await checkWorkers(cluster.database)).filter(({ level }) => level === "problem");
      assert.match(
        finding?.message ?? "",
        new RegExp(`^The worker ${worker} of the cluster does not answer`),
        "doctor",
      );
      const before = load.accepted(kept);
      await load.acceptedMore(100, kept);
      await receiver.allArrived([...load.accepted(kept)].filter((id) => !before.has(id)));
      assert.equal(await readAway(), 1, "the worker is still away");
      assert.equal(load.refused(kept), 0, "no form on another worker was refused");
      await run(startCommand);
      await load.acceptedMore(50, lost);
    }
    await load.stop();
    const { rows } = await sql<{ id: string }>`select id from submission where form_id = any(${formIds})`.execute(
      cluster.database,
    );
    const stored = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      [...load.accepted(formIds)].filter((id) => !stored.has(id)),
      [],
      "answered, and not there",
    );
    await receiver.allArrived(load.accepted(formIds));
    t.diagnostic(
      `${rounds} times: ${load.accepted(formIds).size} accepted and delivered, ${load.refused(formIds)} refused, 0 lost`,
    );
  },
);

async function run(command: string | undefined): Promise<void> {
  await promisify(execFile)("sh", ["-c", command ?? assert.fail("no command")]);
}

async function findAway(database: Database): Promise<string> {
  const away = (await askWorkers(database)).filter(({ answers }) => !answers);
  assert.equal(away.length, 1, "the command kills one worker of this cluster");
  return away[0]?.name ?? assert.fail();
}

async function findPlaces(database: Database, formIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; worker: string }>`
    select form.id, nodename || ':' || nodeport as worker from unnest(cast(${formIds} as text[])) as form(id)
      join pg_dist_shard_placement on shardid = get_shard_id_for_distribution_column('submission', form.id)`.execute(
    database,
  );
  return new Map(rows.map(({ id, worker }) => [id, worker]));
}
