import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { onServer } from "../../packages/server/src/testing/on-server.ts";
import type { PostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import { freeze, stopFollowing } from "../../packages/server/src/testing/postgres-standby.ts";
import { closeAtEnd } from "../../packages/server/src/testing/temporary-folder.ts";
import type { PreparedRequest } from "../contract/operation-calls.ts";
import { makeOperator } from "../rights/revocations.ts";
import { openRights, sendWhole } from "../rights/rights.ts";
import { environmentOf, startOutageLoad, startPair, startWithForm } from "./failover.ts";
import { request } from "./processes.ts";

test("a primary that is gone without a word is left: 503 meanwhile, and the service is back once another one is there", async (t) => {
  const pair = await startPair(t);
  const { service, form } = await startWithForm(t, environmentOf(t, pair));
  const load = startOutageLoad(form, service);
  await load.acceptedMore(20);
  const end = await freeze(pair.primary());
  closeAtEnd(t, end);
  await load.refusedMore(1);
  await pair.promote();
  const promoted = performance.now();
  await load.acceptedMore(20);
  const milliseconds = performance.now() - promoted;
  await load.stop();
  assert.ok(milliseconds < 5_000, `${milliseconds} ms`);
});

test("a control: without synchronous replication what the standby did not have is lost, the count shows it, and the log says it", async (t) => {
  const pair = await startPair(t, { isSynchronous: false });
  const { service, form, listAll } = await startWithForm(t, environmentOf(t, pair));
  const load = startOutageLoad(form, service);
  await load.acceptedMore(20);
  await stopFollowing(pair.standby());
  // The service looks at the primary's log every second.
  for (const start = performance.now(); performance.now() < start + 2_000; ) await load.acceptedMore(20);
  await pair.primary().kill();
  await pair.promote();
  await load.acceptedMore(20);
  await load.stop();
  const stored = await listAll();
  assert.ok([...load.accepted].filter((id) => !stored.has(id)).length > 0);
  assert.match(service.output(), /lacks at least \d+ bytes of the log/);
});

/** The connections whose commit waits for the standby, with such a statement; resolves when there are some. */
async function findWaitingOn(primary: PostgresServer, statement: string): Promise<readonly number[]> {
  for (;;) {
    const { rows } = await onServer(primary, (client) =>
      client.query<{ pid: number }>("select pid from pg_stat_activity where wait_event = 'SyncRep' and query ~ $1", [
        statement,
      ]),
    );
    if (rows.length > 0) return rows.map(({ pid }) => pid);
  }
}

const endings = { cancelled: "pg_cancel_backend", terminated: "pg_terminate_backend" } as const;

for (const [way, end] of Object.entries(endings))
  test(`a commit whose wait for the standby is ${way} is not answered before a standby has it, nor is the same submission again`, async (t) => {
    const pair = await startPair(t);
    const { service, form, listAll } = await startWithForm(t, environmentOf(t, pair));
    const id = createId("submission");
    const post = async () => {
      const payload = { encrypted: false, version: "plain1", fields: {} };
      return (await request(service, "POST", `/api/forms/${form}/submissions`, { body: { id, payload } })).status;
    };
    const findWaiting = (statement: string) => findWaitingOn(pair.primary(), statement);
    await stopFollowing(pair.standby());
    const first = post();
    const waiting = await findWaiting("");
    await onServer(pair.primary(), (client) =>
      client.query(`select ${end}(pid) from unnest($1::int[]) pid`, [waiting]),
    );
    assert.equal(await first, 503);
    const again = post();
    assert.equal(await Promise.race([again, findWaiting("pg_logical_emit_message").then(() => "waits")]), "waits");
    await pair.primary().kill();
    await pair.promote();
    assert.equal(await again, 503);
    let status = 503;
    while (status === 503) status = await post();
    assert.equal(status, 201, "the standby never had it");
    assert.ok((await listAll()).has(id));
  });

test("no operation that is sent again says that it is done before a standby has what the first one wrote", async (t) => {
  const pair = await startPair(t);
  const rights = await openRights(
    { after: (work) => t.after(work) },
    { ...environmentOf(t, pair), SEALPOST_LOG_LEVEL: "silent" },
    { hasWebhooks: false },
  );
  const { service, calls, operations } = rights;
  const repeats: { readonly name: string; readonly request: PreparedRequest }[] = [];
  for (const operation of operations) {
    // Some end the session, or the account.
    const actor = await service.signUp(`${operation.operationId}@example.com`);
    if (operation.access === "operator") await makeOperator(service, actor);
    const { headers, ...rest } = calls.prepare(operation, await calls.createIds(actor, operation));
    const request = { ...rest, headers: { ...headers, authorization: `Bearer ${actor.token}` } };
    const { status } = await sendWhole(service, request);
    if (status < 300) repeats.push({ name: operation.operationId, request });
  }
  await stopFollowing(pair.standby());
  const found: string[] = [];
  for (const { name, request } of repeats) {
    let isAnswered = false;
    const answer = sendWhole(service, request).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await onServer(pair.primary(), (client) =>
        client.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"),
      );
    }
    const { status } = await answer;
    if (status < 300 || status === 404 || status === 409) found.push(`${name}: ${status}`);
  }
  assert.deepEqual(found, []);
  assert.ok(repeats.length > 40, `${repeats.length}`);
});
