import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createId, createWebhookSecret, fingerprint, textOf } from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { type PrivateKeyInput, parseOpeningKey } from "./private-key.ts";
import { createReceiver, openSubmission, type Received, type ReceivedEvent, type ReceiverOptions } from "./receiver.ts";
import { created, createdSealed, form, now, secret, sign } from "./testing/delivery.ts";

const fields = {
  email: "zoë@example.org",
  topics: ["a", "b"],
  "ein Feld\n": "😀 \u0000 </script>",
  long: "ä".repeat(50_000),
};
const [first, second] = [takeKeyPair(), takeKeyPair()];
const receiver = await createReceiver({ secrets: secret, privateKeys: [first.privateKey], now: () => now });

async function receive(body: unknown, privateKeys?: readonly PrivateKeyInput[]): Promise<Received> {
  if (privateKeys === undefined) return receiver.receive(await sign(body));
  return (await createReceiver({ secrets: secret, privateKeys, now: () => now })).receive(await sign(body));
}

async function receiveEvent(body: unknown, privateKeys?: readonly PrivateKeyInput[]): Promise<ReceivedEvent> {
  const received = await receive(body, privateKeys);
  assert.ok(received.verified, JSON.stringify(received));
  return received.event;
}

/** Whether the submission was opened, or the reason why not. */
async function openedOf(body: unknown, privateKeys?: readonly PrivateKeyInput[]): Promise<true | string> {
  const event = await receiveEvent(body, privateKeys);
  assert.equal(event.event, "submission.created");
  return event.opened.opened || event.opened.reason;
}

test("a sealed submission is verified, opened and typed, and the delivery's id is the signed one", async () => {
  const body = await createdSealed(fields, first);
  const id = createId("delivery");
  const received = await receiver.receive(await sign(body, { id }));
  const opened = { opened: true, sealed: true, fields };
  const sentAt = Math.floor(now / 1000) * 1000;
  assert.deepEqual(received, { verified: true, deliveryId: id, sentAt, event: { ...body, opened } });
});

test("a number that JavaScript does not hold is received with the digits that were sealed", async () => {
  const vectors = JSON.parse(await readFile(new URL("../../wire/vectors/foreign.json", import.meta.url), "utf8"));
  const keys = JSON.parse(await readFile(new URL("../../wire/vectors/keys.json", import.meta.url), "utf8"));
  const vector = vectors.find(
    (one: { name: string }) => one.name === "$sealpost next to a number that a double can't hold",
  );
  const body = {
    ...created(vector.payload, vector.keyVersion, vector.submissionId),
    form: { ...form, id: vector.formId },
  };
  const event = await receiveEvent(body, [keys.first.privateKey]);
  assert.ok(event.event === "submission.created" && event.opened.opened);
  assert.equal(textOf(event.opened), vector.text);
  assert.deepEqual(event.opened.fields, { a: Number.POSITIVE_INFINITY });
  assert.deepEqual(event.opened.sealpost, vector.sealpost);
});

test("a receiver with private keys opens no plain submission unless it accepts them, and says why", async () => {
  const signed = await sign(created({ encrypted: false, version: "plain1", fields: { name: "Zoë" } }));
  const openedBy = async (options: Pick<ReceiverOptions, "privateKeys" | "acceptPlain">) => {
    const received = await (await createReceiver({ secrets: secret, now: () => now, ...options })).receive(signed);
    assert.ok(received.verified && received.event.event === "submission.created");
    return received.event.opened;
  };
  const refused = {
    opened: false,
    sealed: false,
    reason: "not_sealed",
    message: "Nobody sealed this submission: the server could read it, and could have made it up",
  };
  const passed = { opened: true, sealed: false, fields: { name: "Zoë" } };
  const privateKeys = [first.privateKey];
  assert.deepEqual(await openedBy({ privateKeys }), refused);
  assert.deepEqual(await openedBy({ privateKeys, acceptPlain: false }), refused);
  assert.deepEqual(await openedBy({ privateKeys: [], acceptPlain: false }), refused);
  assert.deepEqual(await openedBy({ privateKeys, acceptPlain: true }), passed);
  assert.deepEqual(await openedBy({ privateKeys: [] }), passed);
});

test("a plain submission of the API is not opened by who has keys, unless plain ones are accepted", async () => {
  const payload = { encrypted: false as const, fields: { name: "Zoë" } };
  const submission = { id: createId("submission"), payload };
  const keys = [await parseOpeningKey(first.privateKey, "key")];
  const refused = await openSubmission(form.id, submission, keys);
  assert.deepEqual(
    [refused.opened, !refused.opened && refused.reason, "fields" in refused],
    [false, "not_sealed", false],
  );
  const passed = { opened: true, sealed: false, fields: { name: "Zoë" } };
  assert.deepEqual(await openSubmission(form.id, submission, keys, undefined, { acceptPlain: true }), passed);
  assert.deepEqual(await openSubmission(form.id, submission, []), passed);
});

test("a test event says so, and any other does not", async () => {
  const body = await createdSealed(fields, first);
  assert.equal((await receiveEvent({ ...body, test: true })).test, true);
  for (const value of [false, "true", 1]) assert.equal("test" in (await receiveEvent({ ...body, test: value })), false);
});

test("the other three events are typed", async () => {
  const submission = { id: createId("submission") };
  const changes = { name: "Neu", settings: { encryption: true, webhookUrl: null, allowedOrigins: ["*"] } };
  const keys = { keyVersion: 2, previousKeyVersion: 1, publicKey: second.publicKey, rotatedAt: now };
  for (const body of [
    { event: "submission.deleted", timestamp: now, form, submission },
    { event: "form.updated", timestamp: now, form, changes },
    { event: "form.updated", timestamp: now, form, changes: { settings: { webhookUrl: "https://example.org/" } } },
    { event: "form.keys_rotated", timestamp: now, form, keys },
  ])
    assert.deepEqual(await receiveEvent(body), body);
});

test("a signed event of a kind that this version does not know is verified, with its name and body", async () => {
  const later = [
    { event: "form.deleted", timestamp: now, form },
    { event: "account.renamed", more: [1] },
    { event: "constructor" },
    { event: "unknown", test: true },
  ];
  for (const body of later)
    assert.deepEqual(await receiveEvent(body), {
      event: "unknown",
      name: body.event,
      body,
      ...("test" in body && { test: true }),
    });
  const { headers, body } = await sign(later[0]);
  assert.equal((await receiver.receive({ headers, body: `${body} ` })).verified, false, "unsigned it is nothing");
});

test("members that a newer server adds are left out and break nothing", async () => {
  const body = { event: "submission.deleted", timestamp: now, form, submission: { id: createId("submission") } };
  const newer = { ...body, more: 1, form: { ...form, more: 1 }, submission: { ...body.submission, more: 1 } };
  assert.deepEqual(await receiveEvent(newer), body);
});

test("across a rotation of both, two secrets and two key versions are received side by side", async () => {
  const next = createWebhookSecret();
  const both = await createReceiver({
    secrets: { [form.id]: [next, secret] },
    privateKeys: [
      { formId: form.id, keyVersion: 1, privateKey: first.privateKey },
      { formId: form.id, keyVersion: 2, privateKey: second.privateKey },
    ],
    now: () => now,
  });
  for (const secrets of [[secret], [next], [next, secret]]) {
    for (const [keyVersion, keyPair] of [first, second].entries()) {
      const body = await createdSealed({ name: "Zoë" }, keyPair, keyVersion + 1);
      const received = await both.receive(await sign(body, { secrets }));
      assert.ok(received.verified && received.event.event === "submission.created");
      assert.deepEqual(received.event.opened, { opened: true, sealed: true, fields: { name: "Zoë" } });
    }
  }
});

test("bare keys are tried in turn, without labels", async () => {
  const body = await createdSealed(fields, second, 7);
  assert.equal(await openedOf(body, [first.privateKey, second.privateKey]), true);
  assert.equal(await openedOf(body, [{ privateKey: second.privateKey }]), true);
});

test("a submission without a fitting key says why, and is verified all the same", async () => {
  const body = await createdSealed(fields, first, 2);
  const label = { formId: form.id, privateKey: first.privateKey };
  assert.equal(await openedOf(body, []), "no_key");
  assert.equal(await openedOf(body, [{ ...label, keyVersion: 1 }]), "no_key");
  assert.equal(await openedOf(body, [{ ...label, formId: createId("form"), keyVersion: 2 }]), "no_key");
  assert.equal(await openedOf(body, [second.privateKey]), "could_not_be_opened");
  assert.equal(await openedOf(body, [{ ...label, keyVersion: 2 }]), true);
});

test("a payload moved to another form, submission or key version, or changed, could not be opened", async () => {
  const body = await createdSealed(fields, first);
  const { submission } = body;
  const { payload } = submission;
  assert.ok(payload.encrypted);
  const swapped = { ...payload, iv: "AAAAAAAAAAAAAAAA" };
  for (const hostile of [
    { ...body, form: { ...form, id: createId("form") } },
    { ...body, submission: { ...submission, id: createId("submission") } },
    { ...body, submission: { ...submission, keyVersion: 2 } },
    { ...body, submission: { ...submission, payload: swapped } },
    { ...body, submission: { ...submission, payload: { ...payload, data: "" } } },
    { ...body, submission: { ...submission, payload: { ...payload, key: "not base64" } } },
  ])
    assert.equal(await openedOf(hostile), "could_not_be_opened");
  assert.equal(
    await openedOf({ ...body, submission: { ...submission, payload: { ...payload, version: "sp3" } } }),
    "unknown_version",
  );
});

test("a signed body that is no event is an answer and no exception", async () => {
  const body = await createdSealed({ name: "Zoë" }, first);
  const { submission } = body;
  const notEvents: readonly unknown[] = [
    "",
    "{",
    "null",
    "[]",
    '"submission.created"',
    "\uFEFF{}",
    "[".repeat(200_000),
    '{"a":'.repeat(100_000),
    '{"__proto__":{"event":"submission.deleted"}}',
    {},
    { ...body, event: undefined },
    { ...body, event: "" },
    { ...body, event: ["submission.created"] },
    { ...body, timestamp: "now" },
    { ...body, timestamp: 1.5 },
    { ...body, form: null },
    { ...body, form: { id: form.id } },
    { ...body, submission: undefined },
    { ...body, submission: { ...submission, id: 1 } },
    { ...body, submission: { ...submission, receivedAt: null } },
    { ...body, submission: { ...submission, keyVersion: undefined } },
    { ...body, submission: { ...submission, keyVersion: 0 } },
    { ...body, submission: { ...submission, keyVersion: "1" } },
    { ...body, submission: { ...submission, payload: { ...submission.payload, iv: null } } },
    { ...body, submission: { ...submission, payload: { ...submission.payload, encrypted: "yes" } } },
    { ...body, submission: { ...submission, payload: { encrypted: false, version: "plain1", fields: [] } } },
    { ...body, submission: { ...submission, payload: { encrypted: false, version: "plain2", fields: {} } } },
    { event: "submission.deleted", timestamp: now, form, submission: {} },
    { event: "form.updated", timestamp: now, form },
    { event: "form.updated", timestamp: now, form, changes: { name: 1 } },
    { event: "form.updated", timestamp: now, form, changes: { settings: null } },
    { event: "form.keys_rotated", timestamp: now, form, keys: { keyVersion: 2 } },
  ];
  for (const notEvent of notEvents) {
    const received = await receive(notEvent);
    assert.equal(received.verified || received.reason, "malformed_body", JSON.stringify(notEvent).slice(0, 200));
  }
  const { headers } = await sign("");
  assert.equal((await receiver.receive({ headers, body: new Uint8Array([0xff]) })).verified, false);
});

test("members named like those of every object come out as plain fields and touch nothing else", async () => {
  const text = '{"__proto__":{"polluted":1},"constructor":"x","toString":"y"}';
  const event = await receiveEvent(created({ encrypted: false, version: "plain1", fields: JSON.parse(text) }), []);
  assert.ok(event.event === "submission.created" && event.opened.opened);
  assert.equal(JSON.stringify(event.opened.fields), text);
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

test("a receiver that could not do its work is not created, and the message shows no secret and no key", async () => {
  const { privateKey } = first;
  const { d: _, ...withoutD } = privateKey;
  const { dp: _dp, qi: _qi, ...incomplete } = privateKey;
  const invalid: readonly (readonly [unknown, unknown, RegExp])[] = [
    [undefined, [], /^secrets must be the webhook secret/],
    [`${secret}\n`, [], /^secrets is not a webhook secret/],
    [secret.slice(6), [], /^secrets is not a webhook secret/],
    [secret.slice(0, 20), [], /^secrets is not a webhook secret/],
    [secret, undefined, /^privateKeys must be a list/],
    [secret, privateKey, /^privateKeys must be a list/],
    [secret, [null], /^privateKeys\[0\] is not a private key/],
    [secret, [JSON.stringify(privateKey)], /^privateKeys\[0\] is a string: pass the object/],
    [secret, [privateKey, first.publicKey], /^privateKeys\[1\] is a public key/],
    [secret, [withoutD], /^privateKeys\[0\] is a public key/],
    [secret, [incomplete], /^privateKeys\[0\] is an incomplete private key: it lacks dp, qi$/],
    [secret, [{ kty: "EC", crv: "P-256" }], /^privateKeys\[0\] is not an RSA private key/],
    [
      secret,
      [{ sealpost: "private-key", version: 2, privateKey }],
      /^privateKeys\[0\] is a key file of a newer format/,
    ],
    [secret, [{ privateKey: null }], /^privateKeys\[0\] is not an RSA private key/],
    [secret, [{ ...privateKey, n: second.publicKey.n }], /^privateKeys\[0\] is not a usable RSA private key/],
    [secret, [{ ...privateKey, p: "?" }], /^privateKeys\[0\] is not a usable RSA private key/],
    [secret, [{ privateKey, keyVersion: 0 }], /^privateKeys\[0\]\.keyVersion is not a whole number/],
    [secret, [{ privateKey, formId: 7 }], /^privateKeys\[0\]\.formId is not the id/],
    [secret, [{ privateKey, fingerprint: await fingerprint(second.publicKey) }], /^privateKeys\[0\] holds another key/],
  ];
  for (const [secrets, privateKeys, message] of invalid) {
    const options = { secrets, privateKeys } as Parameters<typeof createReceiver>[0]; // deliberately outside the types
    await assert.rejects(createReceiver(options), (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
      for (const hidden of [secret.slice(6), privateKey.d, privateKey.n])
        assert.equal(error.message.includes(hidden), false);
      return true;
    });
  }
});
