import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, seal } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createTestService } from "../../../server/src/testing/test-service.ts";
import { parseOpeningKey } from "../private-key.ts";
import { openSubmission } from "../receiver.ts";
import { ApiError } from "./api-error.ts";
import { createClient } from "./client.ts";

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("against the real service, a form made with an own key is listed, gets submissions, and only that key opens them", async (t) => {
  const service = await createTestService(t);
  const { token } = await service.signUp();
  const client = createClient({ baseUrl: service.url, token });
  const { publicKey, privateKey } = takeKeyPair();

  const form = await client.forms.create({ name: "Kontakt – Zoë", publicKey, settings: { piiStrip: true } });
  assert.equal("privateKey" in form, false);
  assert.deepEqual(form.publicKey, publicKey);
  const { embedCode, settings } = await client.forms.get(form.id);
  const { encryption, piiStrip, webhookUrl, allowedOrigins } = settings;
  assert.match(embedCode, /<script/);
  assert.deepEqual([encryption, piiStrip, webhookUrl, allowedOrigins], [true, true, null, ["*"]]);

  const typed = ["first", "second 😀", "third"];
  for (const text of typed) {
    const submissionId = createId("submission");
    const payload = await seal(
      { text },
      { formId: form.id as `form_${string}`, keyVersion: 1, submissionId },
      publicKey,
    ); // as the server made it
    const path = `/api/forms/${form.id}/submissions`;
    const posted = await service.request("POST", path, { body: { id: submissionId, payload, keyVersion: 1 } });
    assert.equal(posted.status, 201);
  }
  const submissions = await collect(client.submissions.all(form.id));
  const key = await parseOpeningKey(privateKey, "the key");
  const opened = await Promise.all(submissions.map((submission) => openSubmission(form.id, submission, [key])));
  assert.deepEqual(
    opened.map((one) => one.opened && one.fields.text),
    typed.toReversed(),
  );
  const [newest] = submissions;
  assert.deepEqual(await client.submissions.get(form.id, newest?.id ?? ""), newest);
  assert.equal((await client.forms.get(form.id)).submissionCount, 3);
});

test("against the real service, pages fit together without a gap and without a repetition", async (t) => {
  const service = await createTestService(t);
  const client = createClient({ baseUrl: service.url, token: (await service.signUp()).token });
  const { publicKey } = takeKeyPair();
  const made: string[] = [];
  for (let index = 0; index < 5; index++)
    made.push((await client.forms.create({ name: `Form ${index}`, publicKey })).id);
  const first = await client.forms.list({ limit: 2 });
  const second = await client.forms.list({ limit: 2, cursor: first.nextCursor ?? "" });
  const third = await client.forms.list({ limit: 2, cursor: second.nextCursor ?? "" });
  assert.equal(third.nextCursor, null);
  const listed = [first, second, third].flatMap((page) => page.forms.map((form) => form.id));
  assert.deepEqual(listed, made.toReversed());
  assert.deepEqual(
    (await collect(client.forms.all())).map((form) => form.id),
    listed,
  );
});

test("against the real service, refusals come as ApiError with what the server said", async (t) => {
  const service = await createTestService(t);
  const { token } = await service.signUp();
  const client = createClient({ baseUrl: service.url, token });
  const refused = async (promise: Promise<unknown>): Promise<ApiError> => {
    const error = await promise.catch((reason: unknown) => reason);
    assert.ok(error instanceof ApiError);
    assert.ok(error.requestId);
    return error;
  };
  const unknown = await refused(client.forms.get(createId("form")));
  assert.deepEqual([unknown.status, unknown.code, unknown.message], [404, "not_found", "Form not found"]);
  const invalid = await refused(client.forms.create({ name: "a", settings: { webhookUrl: "http://example.org" } }));
  assert.deepEqual([invalid.status, invalid.message], [400, "Invalid form settings"]);
  assert.deepEqual(invalid.details, { webhookUrl: "Must be a valid HTTPS URL" });
  assert.deepEqual(invalid.detailCodes, { webhookUrl: "webhook_url_not_https" });
  const anonymous = createClient({ baseUrl: service.url, token: "sp_nonsense" });
  assert.equal((await refused(anonymous.forms.list())).code, "unauthorized");
});

test("against the real service, an API key made by the client works until the client revokes it", async (t) => {
  const service = await createTestService(t);
  const client = createClient({ baseUrl: service.url, token: (await service.signUp()).token });
  const { key, warning } = await client.apiKeys.create({ name: "backup", permissions: ["forms:read"] });
  assert.notEqual(warning, "");
  const limited = createClient({ baseUrl: service.url, token: key.key });
  assert.deepEqual((await limited.forms.list()).forms, []);
  await assert.rejects(limited.submissions.list(createId("form")), { status: 403, code: "forbidden" });
  await assert.rejects(limited.apiKeys.list(), { status: 401, code: "unauthorized" });
  assert.deepEqual(
    (await client.apiKeys.list()).keys.map((one) => one.id),
    [key.id],
  );
  assert.equal(await client.apiKeys.revoke(key.id), key.id);
  await assert.rejects(limited.forms.list(), { code: "unauthorized" });
  await assert.rejects(client.apiKeys.revoke(key.id), { status: 404, code: "not_found", message: "API key not found" });
});

test("against the real service, a form is changed, rotated, counted, emptied and deleted", async (t) => {
  const service = await createTestService(t);
  const client = createClient({ baseUrl: service.url, token: (await service.signUp()).token });
  const pairs = [takeKeyPair(), takeKeyPair()] as const;
  const { id } = await client.forms.create({ name: "Contact", publicKey: pairs[0].publicKey });
  const updated = await client.forms.update(id, { name: "Kontakt", settings: { piiStrip: true } });
  assert.deepEqual([updated.name, updated.settings.piiStrip, updated.settings.encryption], ["Kontakt", true, true]);
  const rotated = await client.forms.rotateKeys(id, { publicKey: pairs[1].publicKey });
  assert.deepEqual([rotated.keyVersion, rotated.previousKeyVersion, "privateKey" in rotated], [2, 1, false]);
  const keys = await client.forms.keys(id);
  assert.deepEqual(new Set(keys.map((key) => key.publicKey.n)), new Set(pairs.map((pair) => pair.publicKey.n)));
  assert.equal("privateKey" in (await client.forms.rotateKeys(id)), true);

  const ids: string[] = [];
  for (let index = 0; index < 5; index++) {
    const submissionId = createId("submission");
    const payload = await seal(
      { index },
      { formId: id as `form_${string}`, keyVersion: 1, submissionId },
      pairs[0].publicKey,
    ); // as the server made it
    const body = { id: submissionId, payload, keyVersion: 1 };
    assert.equal((await service.request("POST", `/api/forms/${id}/submissions`, { body })).status, 201);
    ids.push(submissionId);
  }
  assert.equal((await client.forms.stats(id, { period: "week" })).stats.totalSubmissions, 5);
  const exported = await collect(client.submissions.export(id));
  assert.deepEqual(
    exported.map((one) => one.id),
    ids,
  );
  assert.deepEqual(exported, (await collect(client.submissions.all(id))).toReversed());
  assert.deepEqual(
    (await collect(client.submissions.export(id, { after: ids[2] ?? "" }))).map((one) => one.id),
    ids.slice(3),
  );

  assert.deepEqual(await client.submissions.delete(id, ids[0] ?? ""), { submissionId: ids[0] });
  assert.deepEqual(await client.submissions.deleteMany(id, ids.slice(0, 3)), { submissionsDeleted: 2 });
  assert.deepEqual(await client.submissions.deleteBefore(id, 1), { submissionsDeleted: 0 });
  assert.deepEqual(await client.forms.delete(id), { formId: id, submissionsDeleted: 2 });
  await assert.rejects(client.forms.get(id), { code: "not_found" });
});

test("against the real service, submissions are moved to the bin, listed there, restored and deleted for good", async (t) => {
  const service = await createTestService(t);
  const client = createClient({ baseUrl: service.url, token: (await service.signUp()).token });
  const { publicKey } = takeKeyPair();
  const { id: formId } = await client.forms.create({ name: "Contact", publicKey, settings: { encryption: false } });
  for (let number = 0; number < 3; number++)
    await service.request("POST", `/api/forms/${formId}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: { number } } },
    });
  const stored = await collect(client.submissions.all(formId));
  const [first, second, third] = stored.map(({ id }) => id);
  const many = [...Array.from({ length: 1500 }, () => createId("submission")), first ?? ""];
  const moved = await client.submissions.moveToBin(formId, many);
  assert.deepEqual(moved, { submissionsBinned: 1, submissionsDeleted: 0 });
  assert.equal((await client.submissions.moveToBinBefore(formId, Date.now() + 1000)).submissionsBinned, 2);
  const binned = await collect(client.submissions.bin(formId));
  assert.deepEqual(
    binned.map(({ id }) => id),
    [second, third, first],
  );
  assert.ok(binned.every(({ binnedAt, purgeAt }) => purgeAt - binnedAt === 30 * 86_400_000));
  assert.equal(await client.submissions.restore(formId, [first ?? ""]), 1);
  const others = many.slice(0, -1);
  assert.equal((await client.submissions.deleteMany(formId, [...others, second ?? ""])).submissionsDeleted, 1);
  assert.equal(await client.submissions.restoreAll(formId), 1);
  assert.deepEqual(await collect(client.submissions.all(formId)), [stored[0], stored[2]]);
  await client.submissions.moveToBin(formId, [first ?? ""]);
  assert.deepEqual(await client.submissions.emptyBin(formId), { submissionsDeleted: 1 });
  assert.equal((await client.submissions.listBin(formId)).total, 0);
});
