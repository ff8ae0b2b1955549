import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createFormStore } from "../forms/form-store.ts";
import { createForm, pair, postPlain, sealSubmission, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { purge } from "./testing/purge.ts";

const tables = [
  "form",
  "form_key",
  "form_count",
  "form_day",
  "form_purge",
  "submission",
  "submission_purge",
  "submission_tombstone",
  "submission_bin",
  "form_bin",
  "webhook",
  "event",
  "delivery",
  "delivery_queue",
  "attempt",
] as const;

async function countRows(service: TestService): Promise<Record<(typeof tables)[number], number>> {
  const counts = Object.fromEntries(tables.map((table) => [table, 0])) as Record<(typeof tables)[number], number>; // made of them
  for (const table of tables) {
    const { count } = await service.database
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    counts[table] = Number(count);
  }
  return counts;
}

test("a deleted form is gone at once: not found, its name free, nothing sent to its webhook", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl }, "Contact");
  for (let index = 0; index < 2; index++) await postPlain(service, formId);
  const binned = await postPlain(service, formId);
  await account.request("POST", `/api/forms/${formId}/submissions/bin`, { ids: [binned] });
  const { status, body } = await account.request("DELETE", `/api/forms/${formId}?confirm=DELETE_FORM`);
  assert.deepEqual([status, body], [200, { success: true, deleted: { formId, submissionsDeleted: 3 } }]);
  const gone = { error: "not_found", message: "Form not found", code: "form_not_found" };
  for (const [method, path, input] of [
    ["GET", ""],
    ["PATCH", "", { name: "Again" }],
    ["DELETE", "?confirm=DELETE_FORM"],
    ["POST", "/rotate-keys", { publicKey: pair.publicKey }],
    ["GET", "/keys"],
    ["GET", "/stats"],
    ["GET", "/public"],
    ["GET", "/submissions"],
    ["GET", "/submissions/export"],
    ["GET", "/submissions/bin"],
    ["POST", "/submissions/bin", { ids: [binned] }],
    ["POST", "/submissions/bin/restore", { all: true }],
    ["DELETE", "/submissions/bin?confirm=EMPTY_BIN"],
    ["DELETE", "/submissions?confirm=DELETE_SUBMISSIONS"],
    ["GET", "/webhook-secret"],
    ["POST", "/submissions", await sealSubmission(formId)],
  ] as const) {
    const answer = await account.request(method, `/api/forms/${formId}${path}`, input);
    assert.deepEqual([answer.status, answer.body], [404, gone], `${method} ${path}`);
  }
  assert.deepEqual((await account.request("GET", "/api/forms")).body, { forms: [], total: 0, nextCursor: null });
  await createForm(account, {}, "Contact");
  await purge(service);
  const { form, form_key: keys, form_count: counts, webhook, ...rest } = await countRows(service);
  assert.deepEqual([form, keys, counts, webhook], [1, 1, 1, 1], "those of the new form");
  assert.deepEqual(
    Object.entries(rest).filter(([, count]) => count > 0),
    [],
    "no event, no delivery, no submission, no trace",
  );
});

test("of ten deletes at the same time one is answered with the count, while posts come in", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  for (let round = 0; round < 3; round++) {
    const formId = await createForm(account, { encryption: false });
    await postPlain(service, formId);
    const post = () =>
      service.request("POST", `/api/forms/${formId}/submissions`, {
        body: { payload: { encrypted: false, version: "plain1", fields: {} } },
      });
    const path = `/api/forms/${formId}?confirm=DELETE_FORM`;
    const [posts, deletes] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, post)),
      Promise.all(Array.from({ length: 10 }, () => account.request("DELETE", path))),
    ]);
    const accepted = posts.filter(({ status }) => status === 201).length;
    assert.ok(posts.every(({ status }) => status === 201 || status === 404));
    assert.deepEqual(deletes.map(({ status }) => status).toSorted(), [200, ...Array(9).fill(404)]);
    const done = deletes.find(({ status }) => status === 200);
    assert.equal(done?.body.deleted.submissionsDeleted, accepted + 1, "every submission that was answered 201");
  }
  await purge(service);
  assert.equal((await countRows(service)).submission, 0);
});

test("a purge that was interrupted is ended by the next start, and leaves other forms alone", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const kept = await createForm(account, { encryption: false, webhookUrl });
  const keptSubmission = await postPlain(service, kept);
  const before = await countRows(service);
  const formId = await createForm(account, { encryption: false, webhookUrl });
  for (let index = 0; index < 20; index++) await postPlain(service, formId);
  await account.request("DELETE", `/api/forms/${formId}/submissions?confirm=DELETE_SUBMISSIONS`);
  await postPlain(service, formId);
  await service.stop();
  // The work of a process that is killed right after its answer.
  const database = await openTestDatabase(t, service.folder);
  assert.equal(await createFormStore(database).remove(account.id as AccountId, formId, Date.now()), 1);
  await database.destroy();
  const next = await createTestService(t, { folder: service.folder, deliveries: silentWebhooks });
  // Its own worker does it by itself.
  while ((await countRows(next)).form_purge > 0) await next.request("GET", "/health/live");
  const { attempt: _attempts, ...after } = await countRows(next);
  const { attempt: _before, ...expected } = before;
  assert.deepEqual(after, expected);
  const rows = await next.database.selectFrom("submission").select("id").execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    [keptSubmission],
  );
});

test("a form with more rows than a batch is purged whole", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const post = () => postPlain(service, formId);
  for (let index = 0; index < 6; index++) await Promise.all(Array.from({ length: 100 }, post));
  const { body } = await account.request("DELETE", `/api/forms/${formId}?confirm=DELETE_FORM`);
  assert.equal(body.deleted.submissionsDeleted, 600);
  await purge(service);
  assert.deepEqual(
    Object.values(await countRows(service)).filter((count) => count > 0),
    [],
  );
});
