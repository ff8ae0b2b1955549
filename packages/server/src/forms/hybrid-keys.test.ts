import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createId,
  type FormId,
  fingerprint,
  type HybridPrivateKey,
  hybridFingerprint,
  type PublicKey,
  seal,
  sealHybrid,
} from "@sealpost/wire";
import { importHybridOpeningKey, open } from "@sealpost/wire/open";
import { firstHybridPair, secondHybridPair } from "../../../../tests/support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createTestService } from "../testing/test-service.ts";

const own = () => ({ publicKey: takeKeyPair().publicKey, hybridPublicKey: firstHybridPair.publicKey });

async function createAccount(t: TestContext) {
  const service = await createTestService(t);
  const account = await service.signUp();
  return {
    service,
    account,
    create: (body: object) => account.request("POST", "/api/forms", { name: createId("event"), ...body }),
    find: async (formId: string) => (await service.request("GET", `/api/forms/${formId}/public`)).body.form,
  };
}

test("a key version may have a hybrid key, which the form offers and the list of keys shows", async (t) => {
  const { service, account, create, find } = await createAccount(t);
  const first = own();
  const created = await create(first);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const { form } = created.body;
  assert.deepEqual(form.hybridPublicKey, firstHybridPair.publicKey);
  assert.equal("hybridPrivateKey" in form, false);
  const thumbprint = await hybridFingerprint(firstHybridPair.publicKey);
  const offered = await find(form.id);
  assert.deepEqual(offered.publicKey, first.publicKey);
  assert.deepEqual([offered.hybridPublicKey, offered.hybridKeyFingerprint], [firstHybridPair.publicKey, thumbprint]);
  const rotate = (body: object) => account.request("POST", `/api/forms/${form.id}/rotate-keys`, body);
  assert.deepEqual((await rotate(own())).body.details, {
    hybridPublicKey: "This form has had this key before: make a new pair",
  });
  const plain = { publicKey: takeKeyPair().publicKey };
  assert.equal((await rotate(plain)).status, 200, "a call without it makes a version without it");
  assert.equal("hybridPublicKey" in (await find(form.id)), false);
  const again = { publicKey: takeKeyPair().publicKey, hybridPublicKey: secondHybridPair.publicKey };
  assert.deepEqual((await rotate(again)).body.form.hybridPublicKey, secondHybridPair.publicKey);
  const { keys } = (await account.request("GET", `/api/forms/${form.id}/keys`)).body;
  assert.deepEqual(
    keys.map((key: Record<string, unknown>) => [key.version, key.hybridPublicKey, key.hybridFingerprint]),
    [
      [3, secondHybridPair.publicKey, await hybridFingerprint(secondHybridPair.publicKey)],
      [2, undefined, undefined],
      [1, firstHybridPair.publicKey, thumbprint],
    ],
  );
  const { entries } = (await account.request("GET", "/api/audit-log?action=form.keys_rotated")).body;
  assert.deepEqual(
    entries.map((entry: { details: { changes: unknown[] } }) => entry.details.changes[1]),
    [
      { setting: "hybrid", from: false, to: true },
      { setting: "hybrid", from: true, to: false },
    ],
  );
  assert.equal(
    (await service.request("GET", `/api/forms/${form.id}/public`)).headers.get("etag")?.includes(thumbprint),
    false,
  );
});

test("where the service makes the keys, both private ones are in the one answer, and open", async (t) => {
  const { create, find } = await createAccount(t);
  const { form } = (await create({ hybrid: true })).body;
  const { hybridPrivateKey }: { hybridPrivateKey: HybridPrivateKey } = form;
  assert.equal(typeof form.privateKey.d, "string");
  const offered = await find(form.id);
  const binding = { formId: form.id as FormId, keyVersion: 1, submissionId: createId("submission") };
  const payload = await sealHybrid({ a: "b" }, binding, offered.hybridPublicKey);
  const opened = await open({ payload, ...binding }, [await importHybridOpeningKey(hybridPrivateKey)]);
  assert.deepEqual(opened, { opened: true, fields: { a: "b" } });
});

test("both keys of a version come from one side, and a wrong hybrid key is refused", async (t) => {
  const { create } = await createAccount(t);
  const { publicKey, hybridPublicKey } = own();
  const wrong: readonly (readonly [object, string])[] = [
    [{ hybridPublicKey }, "publicKey"],
    [{ publicKey, hybrid: true }, "hybridPublicKey"],
    [{ publicKey, hybridPublicKey, hybrid: false }, "hybrid"],
    [{ publicKey, hybridPublicKey: firstHybridPair.privateKey }, "hybridPublicKey"],
    [{ publicKey, hybridPublicKey: { ...hybridPublicKey, pub: `${hybridPublicKey.pub}AAAA` } }, "hybridPublicKey"],
    [{ publicKey, hybridPublicKey, settings: { submissionBytesMax: 4095 } }, "submissionBytesMax"],
  ];
  for (const [body, field] of wrong) {
    const { status, body: answer } = await create(body);
    assert.deepEqual([status, Object.keys(answer.details)], [400, [field]], JSON.stringify(answer));
  }
});

test("submissions sealed to either key of a version are accepted and given back as they came", async (t) => {
  const { service, account, create } = await createAccount(t);
  const keys = own();
  const { form } = (await create(keys)).body;
  const sealTo = async (version: "sp1" | "sp2", keyVersion = 1) => {
    const id = createId("submission");
    const binding = { formId: form.id as FormId, keyVersion, submissionId: id };
    const payload =
      version === "sp1"
        ? await seal({ a: version }, binding, keys.publicKey as PublicKey)
        : await sealHybrid({ a: version }, binding, keys.hybridPublicKey);
    return { id, payload, keyVersion };
  };
  const post = (body: object) => service.request("POST", `/api/forms/${form.id}/submissions`, { body });
  const posted = [await sealTo("sp1"), await sealTo("sp2")];
  for (const body of posted) assert.equal((await post(body)).status, 201);
  assert.equal((await post(posted[1] ?? {})).status, 200, "the same again is the same");
  const { submissions } = (await account.request("GET", `/api/forms/${form.id}/submissions`)).body;
  assert.deepEqual(
    submissions.map(({ payload }: { payload: unknown }) => payload),
    posted.map(({ payload }) => payload).reverse(),
  );
  const [sp1, sp2] = posted as [(typeof posted)[number], (typeof posted)[number]];
  const swapped = { ...sp1, id: createId("submission"), payload: { ...sp1.payload, version: "sp2" } };
  assert.deepEqual((await post(swapped)).body.details, { "payload.key": "Must hold 1168 bytes" });
  const uncommitted = { ...sp2, id: createId("submission"), payload: { ...sp2.payload, data: "A".repeat(64) } };
  assert.deepEqual((await post(uncommitted)).body.details, { "payload.data": "Must hold at least 49 bytes" });
  await account.request("POST", `/api/forms/${form.id}/rotate-keys`, { publicKey: takeKeyPair().publicKey });
  assert.equal((await post(await sealTo("sp2"))).status, 201, "an older version stays accepted");
  assert.deepEqual((await post({ ...sp2, id: createId("submission"), keyVersion: 2 })).body.details, {
    "payload.version": "Must be sp1: this key version has no hybrid key",
  });
});

test("the fingerprints that a form shows are those of its keys", async (t) => {
  const { create, find } = await createAccount(t);
  const keys = own();
  const offered = await find((await create(keys)).body.form.id);
  assert.equal(offered.keyFingerprint, await fingerprint(keys.publicKey));
  assert.equal(offered.hybridKeyFingerprint, await hybridFingerprint(keys.hybridPublicKey));
});
