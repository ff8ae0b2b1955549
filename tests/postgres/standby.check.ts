import assert from "node:assert/strict";
import { test } from "node:test";
import { freeze, stopFollowing } from "../../packages/server/src/testing/postgres-standby.ts";
import { closeAtEnd } from "../../packages/server/src/testing/temporary-folder.ts";
import { environmentOf, startOutageLoad, startPair, startWithForm } from "./failover.ts";

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
