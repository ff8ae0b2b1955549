import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createAuthority, startReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { createCluster, createPlainForm, post, request } from "./processes.ts";

test("a second process takes over under load and the first one stops: no request fails at the one that stays, all that was accepted is there and delivered", async (t) => {
  const authority = await createAuthority();
  const file = join(createTemporaryFolder(t), "authority.pem");
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
  const cluster = await createCluster(t, {
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: file,
  });
  const old = await cluster.start();
  const token = await signUpForToken(old.url);
  const form = await createPlainForm(old, token, { webhookUrl: receiver.url });

  // Eight clients behind a load balancer that goes on to the next process when one does not answer.
  let services = [old];
  const accepted = new Set<string>();
  const refused: unknown[] = [];
  let moved = 0;
  let isOver = false;
  const client = async () => {
    for (let turn = 0; !isOver; turn++) {
      const id = createId("submission");
      for (let isAccepted = false; !isAccepted; ) {
        const service = services[turn % services.length] ?? old;
        try {
          const { status, body } = await post(service, form, { id, keyVersion: 1 });
          // 200: the first time it was stored, and only the answer did not arrive.
          isAccepted = status === 201 || status === 200;
          if (!isAccepted) refused.push({ status, body });
        } catch (error) {
          if (service !== old || !services.includes(old) || services.length === 1) refused.push(error);
          moved += 1;
          turn += 1;
        }
        if (refused.length > 0) return;
      }
      accepted.add(id);
    }
  };
  const load = Array.from({ length: 8 }, client);
  const acceptedMore = async (more: number) => {
    const wanted = accepted.size + more;
    while (accepted.size < wanted && refused.length === 0) await request(services.at(-1) ?? old, "GET", "/health/live");
  };
  await acceptedMore(40);
  const fresh = await cluster.start();
  services = [old, fresh];
  await acceptedMore(40);
  const ended = once(old.child, "exit");
  old.child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null], "it stops in its own time");
  await acceptedMore(40);
  isOver = true;
  await Promise.all(load);
  assert.deepEqual(refused, []);
  assert.ok(moved > 0, "a control: the old process was asked after it had stopped");

  const rows = await cluster.database.selectFrom("submission").select("id").execute();
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...accepted].sort());
  while ([...accepted].some((id) => !delivered.has(id)))
    await new Promise((resolve) => progress.addEventListener("delivered", resolve, { once: true }));
});
