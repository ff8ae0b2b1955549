import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { fingerprint } from "@sealpost/wire";
import { importOpeningKey, open } from "@sealpost/wire/open";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createTestService } from "../testing/test-service.ts";
import { createMakeKeyPair } from "./make-key-pair.ts";
import { createForm, listEvents, pair, sealSubmission, silentWebhooks, webhookUrl } from "./testing/test-form.ts";

test("a rotation answers with the new pair and its version, and everything else follows it", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks, makeKeyPair: createMakeKeyPair() });
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl });
  const { status, body } = await account.request("POST", `/api/forms/${formId}/rotate-keys`);
  assert.equal(status, 200);
  const { publicKey, privateKey, rotatedAt } = body.form;
  assert.deepEqual(body.form, {
    id: formId,
    publicKey,
    privateKey,
    keyVersion: 2,
    previousKeyVersion: 1,
    rotatedAt,
  });
  assert.deepEqual(Object.keys(privateKey).toSorted(), ["d", "dp", "dq", "e", "kty", "n", "p", "q", "qi"]);
  assert.deepEqual({ kty: "RSA", n: privateKey.n, e: "AQAB" }, publicKey);

  const form = (await account.request("GET", `/api/forms/${formId}`)).body.form;
  assert.deepEqual([form.publicKey, form.updatedAt], [publicKey, rotatedAt]);
  const shown = (await service.request("GET", `/api/forms/${formId}/public`)).body.form;
  assert.deepEqual([shown.keyVersion, shown.publicKey], [2, publicKey]);
  const { keys } = (await account.request("GET", `/api/forms/${formId}/keys`)).body;
  assert.deepEqual(keys, [
    {
      version: 2,
      publicKey,
      fingerprint: await fingerprint(publicKey),
      createdAt: rotatedAt,
      madeBy: "service",
      provedAt: null,
    },
    {
      version: 1,
      publicKey: pair.publicKey,
      fingerprint: await fingerprint(pair.publicKey),
      createdAt: form.createdAt,
      madeBy: "owner",
      provedAt: null,
    },
  ]);
  const [event] = await listEvents(service, formId, "form.keys_rotated");
  assert.deepEqual(event.keys, { keyVersion: 2, previousKeyVersion: 1, publicKey, rotatedAt });
  assert.equal(event.timestamp, rotatedAt);
});

test("a key of your own comes back without a private key", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const own = takeKeyPair();
  const { body } = await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey: own.publicKey });
  assert.deepEqual(Object.keys(body.form).toSorted(), [
    "id",
    "keyVersion",
    "previousKeyVersion",
    "publicKey",
    "rotatedAt",
  ]);
  assert.deepEqual(body.form.publicKey, own.publicKey);
  const secret = await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey: own.privateKey });
  assert.equal(secret.status, 400);
  assert.match(secret.body.details.publicKey, /keep them to yourself/);
  assert.equal((await account.request("GET", `/api/forms/${formId}/keys`)).body.keys.length, 2);
});

test("a public key as WebCrypto exports it is taken, and only kty, n and e of it are kept", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const own = takeKeyPair();
  const extras = { alg: "RSA-OAEP-256", use: "enc", key_ops: ["encrypt"], ext: true, kid: "mine" };
  const created = await account.request("POST", "/api/forms", {
    name: "Own",
    settings: { webhookUrl },
    publicKey: { ...pair.publicKey, ...extras },
  });
  assert.deepEqual(created.body.form.publicKey, pair.publicKey);
  const { id } = created.body.form;
  const path = `/api/forms/${id}/rotate-keys`;
  const rotated = await account.request("POST", path, { publicKey: { ...own.publicKey, ...extras } });
  assert.deepEqual(rotated.body.form.publicKey, own.publicKey);
  assert.deepEqual((await account.request("GET", `/api/forms/${id}`)).body.form.publicKey, own.publicKey);
  const { keys } = (await account.request("GET", `/api/forms/${id}/keys`)).body;
  assert.deepEqual(
    keys.map(({ publicKey }: { publicKey: object }) => publicKey),
    [own.publicKey, pair.publicKey],
  );
  assert.deepEqual((await service.request("GET", `/api/forms/${id}/public`)).body.form.publicKey, own.publicKey);
  assert.deepEqual((await listEvents(service, id, "form.keys_rotated"))[0].keys.publicKey, own.publicKey);
  for (const member of ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "x5c"]) {
    const publicKey = { ...own.publicKey, ...extras, [member]: "AQAB" };
    for (const [to, body] of [
      [path, { publicKey }],
      ["/api/forms", { name: "Private", publicKey }],
    ] as const) {
      const refused = await account.request("POST", to, body);
      assert.equal(refused.status, 400, member);
      assert.equal(typeof refused.body.details.publicKey, "string", member);
    }
  }
});

test("submissions sealed to an older version are accepted after a rotation, and say so", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const next = takeKeyPair();
  await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey: next.publicKey });
  const older = await sealSubmission(formId, 1);
  const newer = await sealSubmission(formId, 2, next.publicKey);
  for (const body of [older, newer])
    assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body })).status, 201);
  const list = (await account.request("GET", `/api/forms/${formId}/submissions`)).body.submissions;
  assert.deepEqual(
    list.map(({ keyVersion }: { keyVersion: number }) => keyVersion),
    [2, 1],
  );
  const key = await importOpeningKey(pair.privateKey);
  const opened = await open({ formId, keyVersion: 1, submissionId: older.id, payload: list[1].payload }, [key]);
  assert.ok(opened.opened);
  const future = await service.request("POST", `/api/forms/${formId}/submissions`, {
    body: await sealSubmission(formId, 3),
  });
  assert.deepEqual(future.body.details, { keyVersion: "This form has no such key version" });
});

/** A public key that nobody has a private key for: an odd number of 2,048 bits. */
function createPublicKey() {
  const modulus = randomBytes(256);
  modulus[0] = 0x80 | (modulus[0] ?? 0);
  modulus[255] = 1 | (modulus[255] ?? 0);
  return { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" };
}

test("a key that the form has or had is no new key, also when it is sent twice at the same time", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl });
  const rotate = (publicKey: object) => account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey });
  const next = createPublicKey();
  const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(next)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400, 400, 400]);
  for (const key of [next, pair.publicKey]) {
    const { status, body } = await rotate(key);
    assert.equal(status, 400);
    assert.deepEqual(body.details, { publicKey: "This form has had this key before: make a new pair" });
  }
  assert.equal((await account.request("GET", `/api/forms/${formId}/keys`)).body.keys.length, 2);
  assert.equal((await listEvents(service, formId, "form.keys_rotated")).length, 1);
  await createForm(account); // another form may have it
});

test("only an empty body asks the service for a pair: null may be a key that got lost", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const rotate = (options: object) =>
    service.request("POST", `/api/forms/${formId}/rotate-keys`, { token: account.token, ...options });
  const refused = await rotate({ body: "null" });
  assert.deepEqual([refused.status, refused.body.details], [400, { body: "Must be an object" }]);
  for (const options of [{}, { body: "" }, { body: "", headers: { "content-type": "text/plain" } }, { body: "{}" }]) {
    const { status, body } = await rotate(options);
    assert.equal(status, 200);
    assert.ok("privateKey" in body.form);
  }
});

test("rotations at the same time follow each other without a gap", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey: createPublicKey() }),
    ),
  );
  for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
  const versions = answers.map(({ body }) => body.form.keyVersion).toSorted((a, b) => a - b);
  assert.deepEqual(
    versions,
    Array.from({ length: 50 }, (_, index) => index + 2),
  );
  for (const { body } of answers) assert.equal(body.form.previousKeyVersion, body.form.keyVersion - 1);
  assert.equal((await listEvents(service, formId, "form.keys_rotated")).length, 50);
});
