import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createAuthority, startReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { createCluster, createPlainForm, post, request } from "./processes.ts";

const authority = await createAuthority();

async function createDeliveringCluster(t: TestContext) {
  const cluster = await createCluster(t, {
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    // Read when a process starts, which is later.
    NODE_EXTRA_CA_CERTS: "",
  });
  const file = join(cluster.folder, "authority.pem");
  writeFileSync(file, authority.ca);
  Object.assign(cluster.environment, { NODE_EXTRA_CA_CERTS: file });
  return cluster;
}

test("every delivery is sent by one of two processes, once", async (t) => {
  const cluster = await createDeliveringCluster(t);
  const counts = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  const total = 200;
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: ({ headers }, response) => {
      const id = String(headers["x-service-delivery-id"]);
      counts.set(id, (counts.get(id) ?? 0) + 1);
      response.writeHead(204).end();
      if (counts.size === total) all.resolve();
    },
  });
  const [one, other] = await Promise.all([cluster.start(), cluster.start()]);
  const token = await signUpForToken(one);
  const form = await createPlainForm(one, token, { webhookUrl: receiver.url });
  await Promise.all(Array.from({ length: total }, (_, index) => post(index % 2 === 0 ? one : other, form)));
  await all.promise;
  // Whatever were to be sent twice is gone from the queue when this is empty.
  while ((await cluster.database.selectFrom("delivery_queue").select("delivery_id").execute()).length > 0)
    await request(one, "GET", "/health/live");
  assert.deepEqual([...new Set(counts.values())], [1]);
  const claims = await cluster.database.selectFrom("attempt").select("delivery_id").execute();
  assert.equal(claims.length, total);
});

test("with one process frozen beyond its lease the other takes over, and the late answer changes nothing", async (t) => {
  const cluster = await createDeliveringCluster(t);
  const first = Promise.withResolvers<ServerResponse>();
  const second = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response, count) => {
      if (count === 1) return first.resolve(response);
      response.writeHead(204).end();
      second.resolve();
    },
  });
  const frozen = await cluster.start();
  const form = await createPlainForm(frozen, await signUpForToken(frozen), { webhookUrl: receiver.url });
  await post(frozen, form);
  const held = await first.promise;
  frozen.child.kill("SIGSTOP");
  t.after(() => frozen.child.kill("SIGCONT"));
  // The end of the lease of 75 seconds.
  await cluster.database.updateTable("delivery_queue").set({ due_at: 0 }).execute();
  await cluster.start();
  await second.promise;
  const { database } = cluster;
  const find = () => database.selectFrom("delivery").selectAll().executeTakeFirstOrThrow();
  while ((await find()).state !== "delivered") await database.selectFrom("attempt").select("id").execute();
  const delivered = await find();

  held.writeHead(500).end();
  frozen.child.kill("SIGCONT");
  const attempts = () => database.selectFrom("attempt").select(["status_code"]).orderBy("id").execute();
  while ((await attempts())[0]?.status_code !== 500) await request(frozen, "GET", "/health/live");
  assert.deepEqual(await attempts(), [{ status_code: 500 }, { status_code: 204 }]);
  assert.deepEqual(await find(), delivered);
  assert.deepEqual(await database.selectFrom("delivery_queue").selectAll().execute(), []);
  assert.equal(receiver.requests.length, 2);
});
