import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type AccountId, createId } from "@sealpost/wire";
import { createForm, listEvents, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createPageTurns } from "../rate-limits/page-turns.ts";
import { createOpenAnswer } from "../rate-limits/testing/open-answer.ts";
import { purge } from "../retention/testing/purge.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { createSubmissionDeletionStore } from "./submission-deletion-store.ts";

async function list(account: TestAccount, formId: string): Promise<{ ids: string[]; total: number; count: number }> {
  const { body } = await account.request("GET", `/api/forms/${formId}/submissions?limit=100`);
  const form = await account.request("GET", `/api/forms/${formId}`);
  return {
    ids: body.submissions.map(({ id }: { id: string }) => id),
    total: body.total,
    count: form.body.form.submissionCount,
  };
}

test("a deleted submission is gone from every answer, sent to the webhook, and wiped from earlier deliveries", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const kept = await postPlain(service, formId);
  const deleted = await postPlain(service, formId, { secret: "canary" });
  const path = `/api/forms/${formId}/submissions/${deleted}`;
  const answer = await account.request("DELETE", path);
  assert.deepEqual([answer.status, answer.body], [200, { success: true, deleted: { submissionId: deleted } }]);
  assert.deepEqual(await list(account, formId), { ids: [kept], total: 1, count: 1 });
  for (const method of ["GET", "DELETE"]) {
    const again = await account.request(method, path);
    assert.deepEqual(
      [again.status, again.body],
      [404, { error: "not_found", message: "Submission not found", code: "submission_not_found" }],
      method,
    );
  }
  const [event, ...others] = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual([event.submission, others], [{ id: deleted }, []]);
  const { wipe } = await service.database
    .selectFrom("event")
    .select("wipe")
    .where("submission_id", "=", deleted)
    .where("kind", "=", "submission.created")
    .executeTakeFirstOrThrow();
  assert.equal(wipe, 1, "its delivery still waits, so its body is wiped when that ends");
  // Deleting does not rewrite what was counted.
  const { stats } = (await account.request("GET", `/api/forms/${formId}/stats?period=day`)).body;
  assert.deepEqual([stats.totalSubmissions, stats.periodSubmissions], [2, 2]);
});

test("a list of ids deletes those that the form has, once", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const otherForm = await createForm(account, { encryption: false });
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) ids.push(await postPlain(service, formId));
  const foreign = await postPlain(service, otherForm);
  const wished = [ids[0], ids[0], ids[3], foreign, createId("submission")];
  const path = `/api/forms/${formId}/submissions/delete`;
  const answers = await Promise.all([1, 2, 3].map(() => account.request("POST", path, { ids: wished })));
  assert.deepEqual(answers.map(({ body }) => body.deleted.submissionsDeleted).toSorted(), [0, 0, 2]);
  assert.deepEqual((await list(account, formId)).ids, [ids[4], ids[2], ids[1]]);
  assert.equal((await list(account, otherForm)).total, 1);
  const events = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual(events.map(({ submission }) => submission.id).toSorted(), [ids[0], ids[3]].toSorted());
});

test("a bulk delete is true at once, counts exactly while posts come in, and takes none of those that come after it", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  for (let index = 0; index < 20; index++) await postPlain(service, formId);
  const path = `/api/forms/${formId}/submissions`;
  let deleted = 0;
  let posted = 20;
  for (let round = 0; round < 4; round++) {
    const [answer, ...ids] = await Promise.all([
      account.request("DELETE", `${path}?confirm=DELETE_SUBMISSIONS`),
      ...Array.from({ length: 25 }, () => postPlain(service, formId)),
    ]);
    assert.equal(answer.status, 200);
    deleted += answer.body.deleted.submissionsDeleted;
    posted += ids.length;
    const late = await postPlain(service, formId);
    posted += 1;
    const left = await list(account, formId);
    assert.deepEqual([left.total, left.count], [posted - deleted, posted - deleted]);
    assert.equal(left.ids.length, posted - deleted);
    assert.equal(left.ids[0], late);
  }
  await purge(service);
  const after = await list(account, formId);
  assert.equal(after.total, posted - deleted);
  const rows = await service.database.selectFrom("submission").select("id").execute();
  assert.equal(rows.length, posted - deleted, "what is counted is what is there");
  const events = await listEvents(service, formId, "submission.deleted");
  assert.equal(new Set(events.map(({ submission }) => submission.id)).size, deleted, "one event each");
  assert.equal(events.length, deleted);
});

test("a bulk delete with `before` takes what was received before it and nothing else", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const start = clock.now();
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) {
    ids.push(await postPlain(service, formId));
    clock.advance(1000);
  }
  const remove = (before: number) =>
    account.request("DELETE", `/api/forms/${formId}/submissions?confirm=DELETE_SUBMISSIONS&before=${before}`);
  const counts = async (before: number) => (await remove(before)).body.deleted.submissionsDeleted;
  assert.equal(await counts(start), 0);
  assert.equal(await counts(start + 2000), 2, "the one received at that moment stays");
  assert.equal(await counts(start + 1000), 0);
  assert.equal(await counts(start + 2001), 1);
  assert.deepEqual((await list(account, formId)).ids, ids.slice(3).toReversed());
  assert.equal(await counts(start + 999_999_999), 3, "a moment to come takes what is there now");
  const late = await postPlain(service, formId);
  assert.deepEqual((await list(account, formId)).ids, [late]);
  await purge(service, clock);
  assert.deepEqual((await list(account, formId)).ids, [late]);
  const bounded = await account.request("GET", `/api/forms/${formId}/submissions?from=${start}&to=${clock.now()}`);
  assert.equal(bounded.body.total, 1);
});

test("a retry of a post does not bring its deleted submission back, for thirty days", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const body = {
    id: createId("submission"),
    payload: { encrypted: false, version: "plain1", fields: { message: "once" } },
    keyVersion: 1,
  };
  const post = () => service.request("POST", `/api/forms/${formId}/submissions`, { body });
  assert.equal((await post()).status, 201);
  await account.request("DELETE", `/api/forms/${formId}/submissions?confirm=DELETE_SUBMISSIONS`);
  const gone = { error: "conflict", message: "The submission with this id was deleted", code: "submission_deleted" };
  const retry = await post();
  assert.deepEqual([retry.status, retry.body], [409, gone], "before or after its row is purged");
  await purge(service, clock);
  clock.advance(30 * 86_400_000 - 1);
  await purge(service, clock);
  assert.deepEqual((await post()).body, gone);
  assert.deepEqual(await service.database.selectFrom("submission").select("id").execute(), []);
  clock.advance(2);
  await purge(service, clock);
  assert.equal((await post()).status, 201);
});

test("a bulk delete that was interrupted is ended by the next start, with every event", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const ids: string[] = [];
  for (let index = 0; index < 30; index++) ids.push(await postPlain(service, formId));
  const otherForm = await createForm(account, { encryption: false });
  const kept = await postPlain(service, otherForm);
  // The state after a process was killed right after its answer: the cutoff and the job, and no row removed.
  const newest = Date.now() + 1;
  await service.database
    .updateTable("form_count")
    .set({ stored: 0, visible_from: newest })
    .where("form_id", "=", formId)
    .execute();
  await service.database
    .insertInto("submission_purge")
    .values({ form_id: formId, received_before: newest, requested_at: newest })
    .execute();
  assert.deepEqual(await list(account, formId), { ids: [], total: 0, count: 0 });
  await service.stop();
  const next = await createTestService(t, { folder: service.folder, deliveries: silentWebhooks });
  await purge(next);
  const rows = await next.database.selectFrom("submission").select("id").execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    [kept],
  );
  const events = await listEvents(next, formId, "submission.deleted");
  assert.deepEqual(events.map(({ submission }) => submission.id).toSorted(), ids.toSorted());
  const { visible_from: visibleFrom } = await next.database
    .selectFrom("form_count")
    .select("visible_from")
    .where("form_id", "=", formId)
    .executeTakeFirstOrThrow();
  assert.equal(visibleFrom, 0);
});

test("a submission in the moment of a bulk deletion is dated after it, or it would be deleted with it", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const form = await createForm(account, { encryption: false });
  // As the delete leaves it until its rows are purged, here without an end.
  const visibleFrom = clock.now() + 1;
  await service.database
    .updateTable("form_count")
    .set({ visible_from: visibleFrom })
    .where("form_id", "=", form)
    .execute();
  const ids = [await postPlain(service, form), ...(await Promise.all(range(8).map(() => postPlain(service, form))))];
  const { total, submissions } = (await account.request("GET", `/api/forms/${form}/submissions`)).body;
  assert.equal(total, ids.length);
  for (const { id, receivedAt } of submissions)
    assert.deepEqual([ids.includes(id), receivedAt >= visibleFrom], [true, true]);
  assert.equal(submissions.length, ids.length);
});

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}

test("submissions after the first two thousand million are deleted like any others, and an export resumes after them", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) ids.push(await postPlain(service, formId));
  // Received in the same millisecond, so that the number alone says what comes after.
  await service.database
    .updateTable("submission")
    .set(({ eb }) => ({ sequence: eb("sequence", "+", 3_000_000_000), received_at: 5 }))
    .execute();
  const path = `/api/forms/${formId}/submissions`;
  assert.equal((await account.request("DELETE", `${path}/${ids[1]}`)).status, 200);
  const rest = await account.request("GET", `${path}/export?after=${ids[1]}`);
  assert.equal(JSON.parse(rest.body).id, ids[2]);
  assert.equal((await account.request("POST", `${path}/bin`, { ids: [ids[0]] })).status, 200);
  assert.equal((await account.request("GET", `${path}/export?after=${ids[0]}`)).body.trim().split("\n").length, 1);
  assert.equal((await account.request("GET", `${path}/export`)).body.trim().split("\n").length, 1);
});

test("large submissions named in one request are deleted in parts, between which the service does other work", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl });
  const content = { key: new Uint8Array(384), iv: new Uint8Array(12), data: new Uint8Array(1_048_576) };
  const submissions = Array.from({ length: 6 }, (_, index) => {
    const payload = { version: "sp1" as const, ...content };
    return { formId, id: createId("submission"), keyVersion: 1, payload, timestamp: 1, receivedAt: index };
  });
  for (const submission of submissions) await insertSubmissions(service.database, [submission]);
  const ids = submissions.map(({ id }) => id);
  const store = createSubmissionDeletionStore(service.database);
  let turns = 0;
  let isOver = false;
  const count = async () => {
    for (; !isOver; turns++) await setImmediate();
  };
  const counting = count();
  let parts = 0;
  const record = async () => {
    parts += 1;
  };
  const runPage = createPageTurns().begin({ accountId: account.id, personId: account.id }, createOpenAnswer());
  const deleted = await store.deleteListed(runPage, account.id as AccountId, formId, ids, Date.now(), record);
  isOver = true;
  await counting;
  assert.deepEqual([deleted, parts, turns >= parts], [6, 3, true]);
  assert.deepEqual((await list(account, formId)).ids, []);
});

test("an id that no submission can have is not found, and deletes nothing", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const kept = await postPlain(service, formId);
  for (const id of ["%00", "sub_1", "%F0%9F%8C%AA"]) {
    const { status, body } = await account.request("DELETE", `/api/forms/${formId}/submissions/${id}`);
    assert.deepEqual([status, body.error], [404, "not_found"], id);
  }
  assert.deepEqual((await list(account, formId)).ids, [kept]);
});
