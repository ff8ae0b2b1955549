import assert from "node:assert/strict";
import { before, test } from "node:test";
import { verify as verifyGithub, verifyWithFallback } from "@octokit/webhooks-methods";
import { createWebhookSecret, signService, signStandard } from "@sealpost/wire";
import { Webhook } from "standardwebhooks";
import { type Authority, createAuthority, startReceiver } from "./testing/receiver.ts";
import { createWebhookClient } from "./webhook-client.ts";
import { createWebhookRequest, type RequestContent } from "./webhook-request.ts";
import { createFindTarget } from "./webhook-target.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

/** Both schemes over one of our own bodies, computed outside of this project. */
const vector = {
  deliveryId: "dlv_01hk153x00e5rbcwg8rxcnh8w6",
  kind: "submission.deleted",
  occurredAt: 1_704_067_200_000,
  body: Uint8Array.from(
    Buffer.from(
      '{"event":"submission.deleted","timestamp":1704067200000,"form":{"id":"form_01hk153x00e5rbcwg8rxcnh8w4","name":"Kontakt – Zoë"},"submission":{"id":"sub_01hk153x00e5rbcwg8rxcnh8w5"}}',
    ),
  ),
  url: "https://receiver.example/hook",
  secrets: ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],
  sentAt: 1_704_067_200_999,
  version: "1.2.3",
} as const satisfies RequestContent;
const otherSecret = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

test("one valid secret: the headers to the letter", () => {
  const { headers, body, url } = createWebhookRequest(vector);
  assert.deepEqual(headers, {
    "Content-Type": "application/json",
    "X-Service-Event": "submission.deleted",
    "X-Service-Signature": "sha256=d702922f2d92c461a22355b4ceb8d4ea5d7e5c2112bf74bdf1ceb4bac2307be7",
    "X-Service-Timestamp": "1704067200000",
    "X-Service-Delivery-Id": vector.deliveryId,
    "webhook-id": vector.deliveryId,
    "webhook-timestamp": "1704067200",
    "webhook-signature": "v1,VAh9JKg8fdio6mc45HclcUrbSDaxpwQVAOeDUKoSSsI=",
    "User-Agent": "Sealpost/1.2.3",
    "Accept-Encoding": "identity",
  });
  assert.equal(body, vector.body);
  assert.equal(url, vector.url);
});

test("the signatures are those of the wire package, for any secret and body", async () => {
  for (const length of [0, 1, 63, 64, 65, 5000]) {
    const secret = createWebhookSecret();
    const body = Uint8Array.from({ length }, (_, index) => (index * 37) % 256);
    const { headers } = createWebhookRequest({ ...vector, body, secrets: [secret] });
    const { "X-Service-Signature": service, "webhook-timestamp": timestamp, "webhook-signature": standard } = headers;
    assert.equal(service, await signService(secret, body));
    assert.equal(standard, await signStandard(secret, vector.deliveryId, Number(timestamp), body));
  }
});

test("two valid secrets: one value, the other as alternate, both in the list, in this order", () => {
  const { headers } = createWebhookRequest({ ...vector, secrets: [otherSecret, vector.secrets[0]] });
  assert.equal(
    headers["X-Service-Signature"],
    "sha256=5720e3f8213c755eb05e6bcb41307a8c46ac1e874e6a971c20821cd8a10352e5",
  );
  assert.equal(
    headers["X-Service-Signature-Alternate"],
    "sha256=d702922f2d92c461a22355b4ceb8d4ea5d7e5c2112bf74bdf1ceb4bac2307be7",
  );
  assert.equal(
    headers["webhook-signature"],
    "v1,86SKkAdl1CFYX5ACfJL6Z1SmAkuBYL7qSD/2CaVJZzc= v1,VAh9JKg8fdio6mc45HclcUrbSDaxpwQVAOeDUKoSSsI=",
  );
});

test("another attempt has its own timestamp and the same id", () => {
  const first = createWebhookRequest(vector);
  const second = createWebhookRequest({ ...vector, sentAt: vector.sentAt + 60_000 });
  assert.notEqual(second.headers["webhook-timestamp"], first.headers["webhook-timestamp"]);
  assert.notEqual(second.headers["webhook-signature"], first.headers["webhook-signature"]);
  for (const same of ["webhook-id", "X-Service-Timestamp", "X-Service-Signature", "X-Service-Delivery-Id"])
    assert.equal(second.headers[same], first.headers[same]);
});

test("outside verifiers accept a request as it arrived, and nothing that was changed", async (t) => {
  const receiver = await startReceiver(t, { certificate: authority.good });
  const opened = [{ address: "127.0.0.1", bits: 32 }];
  const client = createWebhookClient({ findTarget: createFindTarget(opened), ca: authority.ca });
  t.after(() => client.close());
  const current = createWebhookSecret();
  const previous = createWebhookSecret();
  const request = createWebhookRequest({
    ...vector,
    url: receiver.url,
    secrets: [previous, current],
    sentAt: Date.now(),
  });
  const outcome = await client.send(request, { signal: new AbortController().signal });
  assert.equal(outcome.kind, "responded");
  const [received] = receiver.requests;
  assert.ok(received);
  const body = received.body.toString("utf8");
  const headers = received.headers as Record<string, string>; // none of ours is given twice

  for (const secret of [previous, current])
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  const service = headers["x-service-signature"] ?? "";
  assert.equal(await verifyGithub(previous, body, service), true);
  assert.equal(await verifyGithub(current, body, headers["x-service-signature-alternate"] ?? ""), true);
  assert.equal(await verifyWithFallback(current, body, service, [previous]), true);

  const changed = body.replace("Zoë", "Zoé");
  assert.equal(await verifyGithub(previous, changed, service), false);
  assert.equal(await verifyGithub(current, body, service), false);
  assert.throws(() => new Webhook(previous).verify(changed, headers));
  assert.throws(() => new Webhook(createWebhookSecret()).verify(body, headers));
});
