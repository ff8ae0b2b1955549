import assert from "node:assert/strict";
import { test } from "node:test";
import { verify, verifyWithFallback } from "@octokit/webhooks-methods";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { createWebhookSecret, signService, signStandard, verifyStandard } from "./webhook-signature.ts";

const bodies = [
  '{"event":"submission.created","form":{"name":"Kontakt – Zoë 😀"}}',
  "{}",
  "a\r\nb",
  JSON.stringify({ data: "x".repeat(100_000) }),
];
const id = "dlv_01hk153x00e5rbcwg8rxcnh8w6";

test("GitHub's own verifier accepts what we sign, and nothing else", async () => {
  const [secret, previous] = [createWebhookSecret(), createWebhookSecret()];
  for (const body of bodies) {
    const signature = await signService(secret, new TextEncoder().encode(body));
    assert.equal(await verify(secret, body, signature), true);
    assert.equal(await verify(secret, `${body} `, signature), false);
    assert.equal(await verify(previous, body, signature), false);
    assert.equal(await verifyWithFallback(previous, body, signature, [secret]), true);
  }
});

test("the verifier of Standard Webhooks accepts what we sign, and nothing else", async () => {
  const [secret, previous] = [createWebhookSecret(), createWebhookSecret()];
  const timestamp = Math.floor(Date.now() / 1000);
  for (const body of bodies) {
    const bytes = new TextEncoder().encode(body);
    const [signature, older] = await Promise.all([
      signStandard(secret, id, timestamp, bytes),
      signStandard(previous, id, timestamp, bytes),
    ]);
    const headers = (value: string) => ({
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": value,
    });
    const webhook = new Webhook(secret);
    assert.doesNotThrow(() => webhook.verify(body, headers(signature), { jsonParse: false }));
    assert.doesNotThrow(() => webhook.verify(body, headers(`${older} ${signature}`), { jsonParse: false }));
    assert.throws(() => webhook.verify(body, headers(older), { jsonParse: false }), WebhookVerificationError);
    assert.throws(() => webhook.verify(`${body} `, headers(signature), { jsonParse: false }), WebhookVerificationError);
  }
});

test("what the signer of Standard Webhooks signs, we verify", async () => {
  const secret = createWebhookSecret();
  const now = Date.now();
  const timestamp = String(Math.floor(now / 1000));
  for (const body of bodies) {
    const signature = new Webhook(secret).sign(id, new Date(now), body);
    const bytes = new TextEncoder().encode(body);
    assert.equal(await verifyStandard([secret], { id, timestamp, signature }, bytes, now), "valid");
  }
});
