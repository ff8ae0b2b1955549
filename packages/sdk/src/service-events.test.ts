import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";

import { generate } from "selfsigned";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createClient } from "./client/client.ts";
import { createReceiver, type Received, type Receiver } from "./receiver.ts";
import { createdSealed } from "./testing/delivery.ts";

type Verified = Extract<Received, { verified: true }>;

test("every event that the real service sends over HTTPS is verified, typed and opened, and a delivery keeps its id", async (t) => {
  const certificate = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  let receiver: Receiver | undefined;
  const arrived: Verified[] = [];
  let arrival = Promise.withResolvers<void>();
  const server = createServer({ key: certificate.private, cert: certificate.cert }, async (request, response) => {
    const received = await receiver?.receive({ headers: request.headers, body: await buffer(request) });
    response.writeHead(received?.verified ? 204 : 401).end();
    if (!received?.verified) return;
    assert.equal(request.headers["x-service-delivery-id"], received.deliveryId);
    arrived.push(received);
    arrival.resolve();
    arrival = Promise.withResolvers<void>();
  }).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on a port, so no pipe name and not null
  /** The verified event of this kind, whenever it comes: deliveries have no order. */
  async function next(event: string): Promise<Verified["event"]> {
    for (;;) {
      const index = arrived.findIndex((one) => one.event.event === event);
      if (index >= 0) return (arrived.splice(index, 1)[0] as Verified).event; // found just now
      await arrival.promise;
    }
  }

  const service = await createTestService(t, {
    environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128" },
    deliveries: { ca: certificate.cert },
  });
  const client = createClient({ baseUrl: service.url, token: (await service.signUp()).token });
  const pair = takeKeyPair();
  const settings = { webhookUrl: `https://localhost:${port}/hook` };
  const { id } = await client.forms.create({ name: "Kontakt – Zoë", publicKey: pair.publicKey, settings });
  const { secret } = await client.webhooks.secret(id);
  receiver = await createReceiver({ secrets: secret, privateKeys: [pair.privateKey] });

  const fields = { name: "Zoë 😀", long: "ä".repeat(50_000) };
  const { submission } = await createdSealed(fields, pair, 1, id as `form_${string}`); // as the server made it
  const body = { id: submission.id, payload: submission.payload, keyVersion: 1 };
  assert.equal((await service.request("POST", `/api/forms/${id}/submissions`, { body })).status, 201);
  const created = await next("submission.created");
  assert.ok(created.event === "submission.created");
  assert.deepEqual(created.form, { id, name: "Kontakt – Zoë" });
  assert.deepEqual(created.opened, { opened: true, sealed: true, fields });
  assert.deepEqual(created.submission.payload, submission.payload);

  const delivery = await client.webhooks.test(id);
  assert.equal(delivery.status, "success", delivery.error ?? "");
  const tested = await next("submission.created");
  assert.ok(tested.event === "submission.created");
  assert.deepEqual([tested.test, tested.opened.opened], [true, true]);

  await client.forms.update(id, {
    name: "Kontakt",
    settings: { piiStrip: true, allowedOrigins: ["https://a.example"], country: "DE", piiTypes: null, binDays: 7 },
  });
  const updated = await next("form.updated");
  assert.ok(updated.event === "form.updated");
  assert.deepEqual(updated.changes, {
    name: "Kontakt",
    settings: { piiStrip: true, allowedOrigins: ["https://a.example"], country: "DE", binDays: 7 },
  });

  const other = takeKeyPair();
  const { rotatedAt } = await client.forms.rotateKeys(id, { publicKey: other.publicKey });
  const rotated = await next("form.keys_rotated");
  assert.ok(rotated.event === "form.keys_rotated");
  assert.deepEqual(rotated.keys, { keyVersion: 2, previousKeyVersion: 1, publicKey: other.publicKey, rotatedAt });

  const { previousSecretExpiresAt } = await client.webhooks.rotateSecret(id);
  assert.ok(previousSecretExpiresAt);
  await client.submissions.delete(id, submission.id);
  const deleted = await next("submission.deleted");
  assert.ok(deleted.event === "submission.deleted");
  assert.deepEqual(deleted.submission, { id: submission.id });

  const logged = await client.webhooks.log(id, delivery.id);
  assert.equal(logged.attempts.length, 1);
  const events: string[] = [];
  for await (const entry of client.webhooks.allLogs(id, { status: "success" })) events.push(entry.event);
  assert.ok(events.includes("form.keys_rotated"), events.join());
  const rotation = (await client.webhooks.logs(id)).logs.find((entry) => entry.event === "form.keys_rotated");
  const resent = await client.webhooks.resend(id, rotation?.id ?? "");
  assert.notEqual(resent.id, rotation?.id);
  assert.deepEqual(await next("form.keys_rotated"), rotated);
});
