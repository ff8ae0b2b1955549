import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createForm,
  listEvents,
  postPlain,
  sealSubmission,
  silentWebhooks,
  webhookUrl,
} from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { createBinPurgeStore } from "./bin-purge-store.ts";
import { isClockTrusted } from "./clock-guard-store.ts";
import { createPurgeStore } from "./purge-store.ts";
import { createPurgeWorker } from "./purge-worker.ts";
import { createRetentionStore } from "./retention-store.ts";
import { purge } from "./testing/purge.ts";

const day = 86_400_000;

async function list(account: TestAccount, formId: string) {
  const { body } = await account.request("GET", `/api/forms/${formId}/submissions?limit=100`);
  const form = await account.request("GET", `/api/forms/${formId}`);
  const ids: string[] = body.submissions.map(({ id }: { id: string }) => id);
  assert.deepEqual([body.total, form.body.form.submissionCount], [ids.length, ids.length]);
  return ids;
}

test("a form keeps its submissions until a limit is set, and reports the limit", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const path = `/api/forms/${formId}/retention`;
  assert.deepEqual((await account.request("GET", path)).body, { days: null });
  for (const days of [30, 1, 1, 36_500, null]) {
    const { status, body } = await account.request("PUT", path, { days });
    assert.deepEqual([status, body], [200, { days }]);
    assert.deepEqual((await account.request("GET", path)).body, { days });
  }
  for (const days of [0, -1, 1.5, 36_501, "30", true, undefined]) {
    const { status, body } = await account.request("PUT", path, { days });
    assert.deepEqual([status, body.error], [400, "bad_request"], String(days));
  }
  const { body } = await account.request("PUT", path, { days: 0 });
  assert.deepEqual(body.details, { days: "Must be a whole number from 1 to 36500, or null" });
  const { body: log } = await account.request("GET", "/api/audit-log");
  const notified = log.entries.filter(({ action }: { action: string }) => action === "form.updated");
  assert.deepEqual(
    notified.map(({ target }: { target: { id: string } }) => target.id),
    Array(4).fill(formId),
    "the audit log has each change",
  );
  // The form itself has no new member (the answer is held to its schema).
  assert.ok(!("retention" in (await account.request("GET", `/api/forms/${formId}`)).body.form));
});

test("older submissions are deleted and sent to the webhook; younger ones, other forms and totals stay", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const other = await createForm(account, { encryption: false });
  const olds = [await postPlain(service, formId), await postPlain(service, formId)];
  const kept = await postPlain(service, other);
  clock.advance(2 * day);
  const young = await postPlain(service, formId);
  clock.advance(day - 1);
  // The dashboard's request before it saves.
  const asked = await account.request(
    "GET",
    `/api/forms/${formId}/submissions?to=${clock.now() - 2 * day - 1}&limit=1`,
  );
  assert.equal(asked.body.total, 2);
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: 3 });
  await purge(service, clock);
  assert.deepEqual(await list(account, formId), [young, ...olds.toReversed()], "a millisecond before their time");
  // The clock stands while submissions come, so the second is dated a millisecond after the first.
  clock.advance(1 + olds.length);
  await purge(service, clock);
  assert.deepEqual(await list(account, formId), [young]);
  assert.deepEqual(await list(account, other), [kept]);
  const events = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual(events.map(({ submission }) => submission.id).toSorted(), olds.toSorted());
  assert.ok(events.every(({ timestamp }) => timestamp === clock.now()));
  const { stats } = (await account.request("GET", `/api/forms/${formId}/stats?period=week`)).body;
  assert.equal(stats.totalSubmissions, 3);
  clock.advance(2 * day);
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: null });
  await purge(service, clock);
  assert.deepEqual(await list(account, formId), [young], "kept after all");
});

test("a late retry does not bring back what is too old", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account);
  const body = await sealSubmission(formId);
  const post = () => service.request("POST", `/api/forms/${formId}/submissions`, { body });
  assert.equal((await post()).status, 201);
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: 1 });
  clock.advance(day + 1);
  await createRetentionStore(service.database).expire(clock.now());
  assert.equal((await post()).status, 409, "hidden, not purged yet");
  await purge(service, clock);
  assert.equal((await post()).status, 409);
  assert.deepEqual(await list(account, formId), []);
});

test("more than a batch goes, counted exactly, when several processes do it at once and one is ended in between", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  for (let index = 0; index < 6; index++)
    await Promise.all(Array.from({ length: 100 }, () => postPlain(service, formId)));
  clock.advance(day);
  const young = await postPlain(service, formId);
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: 1 });
  await purge(service, clock);
  // The clock stood while they came, and each commit is dated a millisecond after the one before.
  clock.advance(600);
  await service.stop();
  const next = await createTestService(t, { folder: service.folder, clock, deliveries: silentWebhooks });
  const store = createRetentionStore(next.database);
  await Promise.all([1, 2, 3].map(() => store.expire(clock.now())));
  assert.equal(await store.expire(clock.now()), false);
  await Promise.all([purge(next, clock), purge(next, clock)]);
  const { count } = await next.database
    .selectFrom("submission")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  assert.equal(Number(count), 1);
  const { stored } = await next.database.selectFrom("form_count").select("stored").executeTakeFirstOrThrow();
  assert.equal(stored, 1);
  const events = await listEvents(next, formId, "submission.deleted");
  assert.equal(new Set(events.map(({ submission }) => submission.id)).size, 600);
  assert.equal(events.length, 600);
  assert.ok(!events.some(({ submission }) => submission.id === young));
});

test("a deleted form's limit goes with it", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: 1 });
  await account.request("DELETE", `/api/forms/${formId}?confirm=DELETE_FORM`);
  const answer = await account.request("GET", `/api/forms/${formId}/retention`);
  assert.deepEqual(
    [answer.status, answer.body],
    [404, { error: "not_found", message: "Form not found", code: "form_not_found" }],
  );
  await purge(service);
  assert.deepEqual(await service.database.selectFrom("form_retention").selectAll().execute(), []);
});

test("a clock that jumps years ahead deletes nothing, over restarts and for a new limit too; set right, the limit counts again", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: 30 });
  const id = await postPlain(service, formId);
  // The session is over by the clock that jumped.
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const setDays = async (days: number) => {
    const path = `/api/forms/${formId}/retention`;
    assert.equal((await service.request("PUT", path, { token: key, body: { days } })).status, 200);
  };
  let warnings = 0;
  /** A worker as a process that has just started has it, for one look. */
  async function look(): Promise<void> {
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    const worker = createPurgeWorker({
      purge: createPurgeStore(service.database),
      retention: createRetentionStore(service.database),
      bin: createBinPurgeStore(service.database),
      purgeAuditLog: async () => false,
      shortenAuditLog: async () => false,
      purgeEnded: async () => false,
      tidy: async () => false,
      purgeAccounts: async () => false,
      remind: async () => false,
      isClockTrusted: (now) => isClockTrusted(service.database, now),
      findHeldBack: async () => undefined,
      eraseTraces: async () => resolve(),
      clock,
      wakeDeliveries: () => {},
      report: reject,
      warnOfClock: () => {
        warnings += 1;
      },
    });
    worker.wake();
    await done;
    await worker.stop();
  }
  const storedIds = async () =>
    (await service.database.selectFrom("submission").select("id").execute()).map((row) => row.id);
  await look();
  clock.advance(10 * 365 * day);
  await look();
  await setDays(1);
  await look();
  assert.deepEqual([await storedIds(), warnings], [[id], 2]);
  await setDays(30);
  clock.advance(-10 * 365 * day + 31 * day);
  // Setting the days has woken the service's own worker. Where its look at the clock before it was set right is written in place
  // of the first one here, the second one finds the clock changed: the hours count from here.
  await look();
  await look();
  for (let hours = 0; hours < 24; hours++) {
    assert.deepEqual(await storedIds(), [id], `after ${hours} hours`);
    clock.advance(day / 24);
    await look();
  }
  assert.deepEqual(await storedIds(), []);
});
