import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { startDeliveryReceiver, startLoad } from "./hand-over.ts";
import { createCluster, createPlainForm } from "./processes.ts";

test("a second process takes over under load and the first one stops: no request fails at the one that stays, all that was accepted is there and delivered", async (t) => {
  const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
  const cluster = await createCluster(t, receiver.environment);
  const old = await cluster.start();
  const token = await signUpForToken(old);
  const form = await createPlainForm(old, token, { webhookUrl: receiver.url });
  const load = startLoad(form, old);
  await load.acceptedMore(40);
  const fresh = await cluster.start();
  load.direct([old, fresh], [fresh]);
  await load.acceptedMore(40);
  const ended = once(old.child, "exit");
  old.child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null], "it stops in its own time");
  await load.acceptedMore(40);
  await load.stop();
  assert.deepEqual(load.refused, []);
  assert.ok(load.moved() > 0, "a control: the old process was asked after it had stopped");

  const rows = await cluster.database.selectFrom("submission").select("id").execute();
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...load.accepted].sort());
  await receiver.allArrived(load.accepted);
});
