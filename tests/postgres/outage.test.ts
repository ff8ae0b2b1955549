import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startPostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createAuthority, startReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { createPlainForm, listAll, post, request } from "./processes.ts";

test("PostgreSQL stopped and started under load: 503 meanwhile, nothing accepted is lost or signed out, and all is delivered", async (t) => {
  const folder = createTemporaryFolder(t);
  const server = await startPostgresServer();
  closeAtEnd(t, () => server.remove());
  const authority = await createAuthority();
  const file = join(folder, "authority.pem");
  writeFileSync(file, authority.ca);
  const delivered = new Set<string>();
  const progress = new EventTarget();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: ({ body }, response) => {
      response.writeHead(204).end();
      delivered.add(JSON.parse(body.toString()).submission.id);
      progress.dispatchEvent(new Event("delivered"));
    },
  });
  const service = await startServiceProcess({
    SEALPOST_DATABASE_URL: server.url,
    SEALPOST_SECRET: Buffer.alloc(32, 1).toString("base64"),
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_LOG_LEVEL: "silent",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: file,
  });
  closeAtEnd(t, () => service.kill());
  const token = await signUpForToken(service);
  const form = await createPlainForm(service, token, { webhookUrl: receiver.url });
  const { key } = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Key" } })).body.key;

  const accepted = new Set<string>();
  const statuses = new Map<number, number>();
  let isOver = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const answer = await post(service, form);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 201) accepted.add(answer.body.submission.id);
      else {
        assert.deepEqual([answer.status, answer.body.error], [503, "unavailable"]);
        assert.match(answer.headers.get("retry-after") ?? "", /^[0-9]+$/);
      }
    }
  });
  const acceptedMore = async (more: number) => {
    const wanted = accepted.size + more;
    while (accepted.size < wanted) await request(service, "GET", "/health/live");
  };
  for (let round = 0; round < 3; round++) {
    await acceptedMore(50);
    await server.stop();
    while ((await request(service, "GET", "/health/ready")).status !== 503);
    for (const credential of [token, key]) {
      const answer = await request(service, "GET", "/api/forms", { token: credential });
      assert.deepEqual([answer.status, answer.body.error], [503, "unavailable"], "not a 401, which would sign out");
    }
    const signIn = { email: "owner@example.com", password: "correct horse battery" };
    assert.equal((await request(service, "POST", "/api/auth/sign-in/email", { body: signIn })).status, 503);
    await server.start();
    while ((await request(service, "GET", "/health/ready")).status !== 200);
  }
  await acceptedMore(50);
  isOver = true;
  await Promise.all(load);
  assert.deepEqual([...statuses.keys()].sort(), [201, 503]);

  const listed = await listAll(service, form, key);
  assert.deepEqual(
    [...accepted].filter((id) => !listed.has(id)),
    [],
  );
  while ([...accepted].some((id) => !delivered.has(id)))
    await new Promise((resolve) => progress.addEventListener("delivered", resolve, { once: true }));
});
