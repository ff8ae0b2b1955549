import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, createWebhookSecret } from "@sealpost/wire";
import { eventKinds } from "../../server/src/outbox/event.ts";
import type { ReceiverVector } from "../../wire/src/testing/receiver-vectors.ts";
import webhookReceivers from "../../wire/vectors/webhook-receivers.json" with { type: "json" };
import { createReceiver } from "./receiver.ts";

const vectors = webhookReceivers as readonly ReceiverVector[];

for (const { name, secrets, now, id, timestamp, signature, body, outcome } of vectors) {
  test(`a secret speaks for its own form alone: ${name}: ${outcome}`, async () => {
    const receiver = await createReceiver({ secrets, privateKeys: [], now: () => now * 1000 });
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    const received = await receiver.receive({ headers, body });
    assert.equal(received.verified ? "received" : received.reason, outcome);
  });
}

test("there is a vector of each kind of event that the service sends, with another form's secret", () => {
  for (const kind of eventKinds)
    assert.ok(
      vectors.some(({ body, outcome }) => outcome === "wrong_form" && JSON.parse(body).event === kind),
      kind,
    );
});

test("a receiver whose secrets are tied to no form, or to two, is not made, and no secret is shown", async () => {
  const [form, other, secret] = [createId("form"), createId("form"), createWebhookSecret()];
  const invalid: readonly [unknown, RegExp][] = [
    [[secret], /^secrets must be the webhook secret of one form, or an object/],
    [[], /^secrets must be the webhook secret/],
    [{}, /^secrets must be the webhook secret/],
    [null, /^secrets must be the webhook secret/],
    [{ [form]: [] }, new RegExp(`^secrets\\.${form} has no webhook secret$`)],
    [{ [form]: null }, new RegExp(`^secrets\\.${form} has no webhook secret$`)],
    [{ [form]: [secret, "whsec_"] }, new RegExp(`^secrets\\.${form}\\[1\\] is not a webhook secret`)],
    [{ [form]: secret.slice(0, 20) }, new RegExp(`^secrets\\.${form} is not a webhook secret`)],
    [{ [secret]: form }, /^secrets has a name that is not the id of a form/],
    [{ contact: secret }, /^secrets has a name that is not the id of a form/],
    [{ [form]: secret, [other]: [secret] }, /^secrets has one secret twice/],
    [{ [form]: [secret, secret] }, /^secrets has one secret twice/],
  ];
  for (const [secrets, message] of invalid) {
    const options = { secrets, privateKeys: [] } as unknown as Parameters<typeof createReceiver>[0]; // outside the types
    await assert.rejects(createReceiver(options), (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
      return !error.message.includes(secret.slice(6, 20));
    });
  }
});
