import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { sql } from "kysely";
import { openSqlite } from "../../packages/server/src/database/database.ts";
import { listTables } from "../../packages/server/src/testing/list-tables.ts";
import { onServer } from "../../packages/server/src/testing/on-server.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { isCluster } from "../../packages/server/src/testing/test-database.ts";
import { findNewMigrations } from "../support/old-version.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { startDeliveryReceiver, startLoad } from "./hand-over.ts";
import { createCluster, createPlainForm, post, request } from "./processes.ts";

/** Set by `npm run test:upgrade` (upgrade.ts). */
const oldFolder = process.env.SEALPOST_TEST_OLD_VERSION ?? assert.fail("run this by npm run test:upgrade");
const newMigrations = findNewMigrations(oldFolder);

test("on PostgreSQL the new version takes over from the old one under load: no request fails, all that was accepted is there and delivered", async (t) => {
  t.diagnostic(`migrations that the old version does not know: ${newMigrations.join(", ") || "none"}`);
  const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
  const cluster = await createCluster(t, receiver.environment);
  // The old version makes its own tables.
  for (const table of ["kysely_migration", "kysely_migration_lock", ...(await listTables(cluster.database))])
    await sql`drop table if exists ${sql.table(table)} cascade`.execute(cluster.database);
  const startOld = () => startServiceProcess(cluster.environment, [], { folder: oldFolder });
  if (isCluster) await distributeWithOld(startOld, cluster.environment);
  const old = await startOld();
  closeAtEnd(t, () => old.kill());
  const { token, key, form } = await setUp(old, receiver.url);
  const load = startLoad(form, old, { mayLeaveWith503: true });
  await load.acceptedMore(100);
  // Its migrations run while the old version writes.
  const fresh = await cluster.start();
  load.direct([old, fresh], [fresh, old]);
  await load.acceptedMore(100);
  for (const [at, other] of [
    [old, fresh],
    [fresh, old],
  ] as const) {
    await changeEverything(at, other, { token, key });
    await load.acceptedMore(20);
  }
  load.direct([old, fresh], [fresh]);
  const ended = once(old.child, "exit");
  old.child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null], "it stops in its own time");
  await load.acceptedMore(100);
  await load.stop();
  assert.deepEqual(load.refused, []);
  assert.ok(load.moved() > 0, "a control: the old version was asked after it had stopped");
  if (newMigrations.length > 0) await assert.rejects(startOld(), /newer version|migration/, "there is no way back");

  const { organizations } = (await request(fresh, "GET", "/api/organizations", { token })).body;
  assert.deepEqual([organizations.length, organizations[0].role, organizations[0].current], [1, "owner", true]);
  await checkAccepted(fresh, form, key, load.accepted);
  const rows = await cluster.database.selectFrom("submission").select("id").where("form_id", "=", form).execute();
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...load.accepted].sort());
  await receiver.allArrived(load.accepted);
  t.diagnostic(`${load.accepted.size} accepted and delivered, 0 refused, 0 lost`);
});

/** The old version makes its tables, and then spreads them over the workers. */
async function distributeWithOld(
  startOld: () => Promise<ServiceProcess>,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { child } = await startOld();
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  // This test's own connections look like those of a process that serves.
  await onServer({ url: environment.SEALPOST_DATABASE_URL ?? "" }, (client) =>
    client.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'sealpost%' and pid <> pg_backend_pid()`),
  );
  const program = ["--conditions=@sealpost/source", join(oldFolder, "packages/server/src/main.ts")];
  await promisify(execFile)(process.execPath, [...program, "distribute", "--yes", "--shards", "8"], {
    env: { ...process.env, ...environment },
  });
}

test("on SQLite the old version stops under load, the new one starts on its folder: all that was accepted is there and delivered", async (t) => {
  const folder = createTemporaryFolder(t);
  const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
  const environment = { SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_SUBMIT_RATE: "0", SEALPOST_API_RATE: "0" };
  const settings = { ...environment, ...receiver.environment };
  const old = await startServiceProcess(settings, [], { folder: oldFolder });
  closeAtEnd(t, () => old.kill());
  const { token, key, form } = await setUp(old, receiver.url);
  const load = startLoad(form, old, { mayLeaveWith503: true });
  await load.acceptedMore(200);
  load.direct([old], []);
  const ended = once(old.child, "exit");
  old.child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null], "it stops in its own time");
  load.direct([], []);
  const fresh = await startServiceProcess(settings);
  closeAtEnd(t, () => fresh.kill());
  load.direct([fresh], [fresh]);
  await load.acceptedMore(100);
  await changeEverything(fresh, fresh, { token, key });
  await load.stop();
  assert.deepEqual(load.refused, []);
  await checkAccepted(fresh, form, key, load.accepted);
  await receiver.allArrived(load.accepted);
  await fresh.kill();
  const database = openSqlite(folder);
  closeAtEnd(t, () => database.destroy());
  const rows = await database.selectFrom("submission").select("id").where("form_id", "=", form).execute();
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...load.accepted].sort());
  if (newMigrations.length > 0)
    await assert.rejects(startServiceProcess(settings, [], { folder: oldFolder }), /newer version|migration/);
  t.diagnostic(`${load.accepted.size} accepted and delivered, 0 refused, 0 lost`);
});

async function setUp(service: ServiceProcess, webhookUrl: string) {
  const token = await signUpForToken(service);
  const form = await createPlainForm(service, token, { webhookUrl });
  const { key } = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Key" } })).body.key;
  return { token, form, key: key as string };
}

/** An owner's changes at one service are shown by the other. */
async function changeEverything(
  at: ServiceProcess,
  other: ServiceProcess,
  { token, key }: { readonly token: string; readonly key: string },
): Promise<void> {
  const form = await createPlainForm(at, token);
  const path = `/api/forms/${form}`;
  const { body } = await post(at, form);
  assert.equal((await post(at, form)).status, 201);
  const change = async (method: string, more: string, content?: unknown) => {
    const answer = await request(at, method, `${path}${more}`, { token, body: content });
    assert.equal(answer.status, 200, `${method} ${more}: ${JSON.stringify(answer.body)}`);
  };
  await change("PATCH", "", { name: `Changed ${form}` });
  await change("POST", "/rotate-keys");
  await change("DELETE", `/submissions/${body.submission.id}`);
  const shown = (await request(other, "GET", path, { token: key })).body.form;
  assert.deepEqual([shown.name, shown.submissionCount], [`Changed ${form}`, 1]);
  assert.equal((await request(other, "GET", `${path}/keys`, { token: key })).body.keys.length, 2);
  // Of the only person there is, whichever version wrote it.
  const made = (await request(at, "POST", "/api/api-keys", { token, body: { name: "Made" } })).body.key;
  assert.equal((await request(other, "GET", "/api/forms", { token: made.key })).status, 200);
  assert.equal((await request(other, "DELETE", `/api/api-keys/${made.id}`, { token })).status, 200);
  assert.equal((await request(at, "GET", "/api/forms", { token: made.key })).status, 401);
  assert.equal((await post(other, form, { id: body.submission.id, keyVersion: 1 })).status, 409, "it stays deleted");
  await change("DELETE", "?confirm=DELETE_FORM");
  assert.equal((await request(other, "GET", path, { token: key })).status, 404);
}

async function checkAccepted(
  service: ServiceProcess,
  form: string,
  token: string,
  accepted: ReadonlySet<string>,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`${service.url}/api/forms/${form}/submissions/export`, { headers })).text();
  const ids = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).id]));
  assert.deepEqual(ids.sort(), [...accepted].sort());
  const { body } = await request(service, "GET", `/api/forms/${form}/stats`, { token });
  assert.equal(body.stats.totalSubmissions, accepted.size);
}
