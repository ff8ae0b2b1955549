import assert from "node:assert/strict";
import { test } from "node:test";
import { createReceiver, type Received, type ReceivedEvent } from "@sealpost/sdk";
import { createId, type Fields, type Payload, type SubmissionId, seal } from "@sealpost/wire";
import { created, createdSealed, form, now, secret, sign } from "../../packages/sdk/src/testing/delivery.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

// The server knows the webhook secrets, so a signature only shows that it was the server that spoke. Here it lies.

const pair = takeKeyPair();
const receiver = await createReceiver({
  secrets: secret,
  privateKeys: [{ formId: form.id, keyVersion: 1, privateKey: pair.privateKey }],
  now: () => now,
});

async function receive(body: unknown, at = now): Promise<Received> {
  return receiver.receive(await sign(body, { at }));
}

/** The receiver's result of a signed submission. */
async function openedFrom(body: unknown) {
  const received = await receive(body);
  assert.ok(received.verified, JSON.stringify(received));
  const event: ReceivedEvent = received.event;
  assert.ok(event.event === "submission.created");
  return event.opened;
}

async function sealed(fields: Fields) {
  const body = await createdSealed(fields, pair);
  if (!body.submission.payload.encrypted) throw new Error("it is sealed");
  return { ...body, submission: { ...body.submission, payload: body.submission.payload } };
}

test("control: an honest delivery opens", async () => {
  assert.deepEqual(await openedFrom(await sealed({ vote: "yes" })), {
    opened: true,
    sealed: true,
    fields: { vote: "yes" },
  });
});

test("a submission under another id, form or key version, or with parts of another, does not open", async () => {
  const [one, other] = [await sealed({ vote: "yes" }), await sealed({ vote: "no" })];
  const { submission } = one;
  const { data, key, iv } = other.submission.payload;
  const labelless = await createReceiver({ secrets: secret, privateKeys: [pair.privateKey], now: () => now });
  const ways: [unknown, string][] = [
    [{ ...one, submission: { ...submission, id: other.submission.id } }, "could_not_be_opened"],
    [{ ...one, submission: { ...submission, payload: other.submission.payload } }, "could_not_be_opened"],
    [{ ...one, submission: { ...submission, payload: { ...submission.payload, data } } }, "could_not_be_opened"],
    [{ ...one, submission: { ...submission, payload: { ...submission.payload, key } } }, "could_not_be_opened"],
    [{ ...one, submission: { ...submission, payload: { ...submission.payload, iv } } }, "could_not_be_opened"],
    [{ ...one, form: { ...form, id: createId("form") } }, "no_key"],
    [{ ...one, submission: { ...submission, keyVersion: 2 } }, "no_key"],
    [{ ...one, submission: { ...submission, payload: { ...submission.payload, version: "sp0" } } }, "unknown_version"],
  ];
  for (const [body, reason] of ways) {
    const opened = await openedFrom(body);
    assert.deepEqual([opened.opened, !opened.opened && opened.reason, "fields" in opened], [false, reason, false]);
    // Without labels every key is tried; what was moved still opens with none.
    const bare = await labelless.receive(await sign(body));
    assert.ok(bare.verified && bare.event.event === "submission.created" && !bare.event.opened.opened);
  }
});

test("a payload that nobody sealed gives nothing to a receiver that has keys", async () => {
  const plain: Payload = { encrypted: false, version: "plain1", fields: { vote: "yes" } };
  const opened = await openedFrom(created(plain));
  assert.deepEqual([opened.opened, opened.sealed, !opened.opened && opened.reason], [false, false, "not_sealed"]);
  assert.doesNotMatch(JSON.stringify(opened), /yes/);
});

test("a delivery that is replayed after five minutes is refused; before that its id is the same", async () => {
  const delivery = await sign(await sealed({ vote: "yes" }));
  const [first, again] = [await receiver.receive(delivery), await receiver.receive(delivery)];
  assert.ok(first.verified && again.verified && first.deliveryId === again.deliveryId);
  const late = await receive(await sealed({ vote: "yes" }), now - 301_000);
  assert.deepEqual([late.verified, !late.verified && late.reason], [false, "timestamp_out_of_tolerance"]);
});

test("not detectable by a signature: the server signs a submission again as a new delivery, or one that it sealed itself", async () => {
  const body = await sealed({ vote: "yes" });
  const [first, again] = [await receive(body), await receive(body)];
  assert.ok(first.verified && again.verified && first.deliveryId !== again.deliveryId);
  // The submission's id stays the same: a program that counts by it counts once.
  const idOf = ({ event }: { event: ReceivedEvent }): SubmissionId | undefined =>
    event.event === "submission.created" ? event.submission.id : undefined;
  assert.equal(idOf(first), idOf(again));
  const submissionId = createId("submission");
  const forged = await seal({ vote: "forged" }, { formId: form.id, keyVersion: 1, submissionId }, pair.publicKey);
  assert.equal((await openedFrom(created(forged, 1, submissionId))).opened, true);
});

test("the new public key in an event of a rotation is never taken for opening or sealing", async () => {
  const other = takeKeyPair();
  const keys = { keyVersion: 2, previousKeyVersion: 1, publicKey: other.publicKey, rotatedAt: now };
  const received = await receive({ event: "form.keys_rotated", timestamp: now, form, keys });
  assert.ok(received.verified);
  const toOther = await createdSealed({ vote: "yes" }, other, 2);
  const opened = await openedFrom(toOther);
  assert.ok(!opened.opened && opened.reason === "no_key");
});
