import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createForm, postPlain } from "../../packages/server/src/forms/testing/test-form.ts";
import { createRateLimitStore } from "../../packages/server/src/rate-limits/rate-limit-store.ts";
import { createRateLimiter } from "../../packages/server/src/rate-limits/rate-limiter.ts";
import { createFakeClock, type FakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { onPostgres } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

const hour = 3_600_000;

async function start(t: TestContext, clock: FakeClock = createFakeClock()) {
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const path = `/api/forms/${formId}`;
  return { clock, service, account, formId, path, post: () => postPlain(service, formId) };
}

test("when the clock jumps an hour back and forth, pages and exports show each submission exactly once", async (t) => {
  const { clock, account, path, post } = await start(t);
  const ids: string[] = [];
  for (const jump of [0, hour, -2 * hour, 1, -1, 2 * hour, -hour]) {
    clock.advance(jump);
    ids.push(await post(), await post());
  }
  const seen: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const query = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await account.request("GET", `${path}/submissions?limit=3${query}`);
    assert.equal(body.total, ids.length);
    seen.push(...body.submissions.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor ?? undefined;
    // In the midst of the pages, too.
    clock.advance(seen.length % 2 === 0 ? hour : -hour);
  }
  assert.deepEqual(seen.toSorted(), ids.toSorted());
  const { body } = await account.request("GET", `${path}/submissions/export`);
  const exported = String(body)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  assert.deepEqual(exported.toReversed(), seen, "the export has the order of the list, oldest first");
});

test("what is deleted before or after a jump back stays deleted, and what comes then is there", async (t) => {
  const { clock, service, account, path, post, formId } = await start(t);
  const list = async () => {
    const { body } = await account.request("GET", `${path}/submissions`);
    return { ids: body.submissions.map(({ id }: { id: string }) => id), total: body.total };
  };
  const deleteAll = async () => {
    const { status, body } = await account.request("DELETE", `${path}/submissions?confirm=DELETE_SUBMISSIONS`);
    assert.equal(status, 200);
    return body.deleted.submissionsDeleted;
  };
  await post();
  await post();
  assert.equal(await deleteAll(), 2);
  clock.advance(-hour);
  const first = await post();
  assert.deepEqual(await list(), { ids: [first], total: 1 });
  clock.advance(-hour);
  const second = await post();
  assert.deepEqual((await list()).ids.toSorted(), [first, second].toSorted());
  assert.equal(await deleteAll(), 2, "also those that are dated after the clock");
  assert.deepEqual(await list(), { ids: [], total: 0 });
  const third = await post();
  assert.deepEqual(await list(), { ids: [third], total: 1 });
  const rows = await service.database.selectFrom("form_count").selectAll().where("form_id", "=", formId).execute();
  assert.deepEqual([Number(rows[0]?.stored), Number(rows[0]?.received)], [1, 5]);
});

test("statistics count each submission on the day of its time of receipt, also where the clock was set back, and all of them in the total", async (t) => {
  const { clock, account, path, post } = await start(t, createFakeClock(Date.UTC(2026, 0, 15, 0, 30)));
  await post();
  clock.advance(-hour);
  await post();
  await post();
  const read = async () => (await account.request("GET", `${path}/stats?period=week`)).body.stats;
  const early = await read();
  // Dated after the first one, in the order of receipt: tomorrow, as the clock says now.
  assert.deepEqual([early.totalSubmissions, early.periodSubmissions], [3, 0]);
  clock.advance(hour);
  const late = await read();
  assert.deepEqual([late.totalSubmissions, late.periodSubmissions], [3, 3]);
  const days = new Map(late.timeline.map(({ date, count }: { date: string; count: number }) => [date, count]));
  assert.deepEqual([days.get("2026-01-14"), days.get("2026-01-15")], [0, 3]);
});

test("a session outlives a jump back, and a key is good whatever the clock says", async (t) => {
  const { clock, service, account } = await start(t);
  const { body } = await account.request("POST", "/api/api-keys", { name: "Key" });
  for (const jump of [-hour, hour, hour, -hour]) {
    clock.advance(jump);
    assert.equal((await service.request("GET", "/api/forms", { token: body.key.key })).status, 200);
    assert.equal((await account.request("GET", "/api/forms")).status, 200);
  }
});

test("after a jump back a client that was refused is asked to wait for a minute at most", async (t) => {
  let now = Date.UTC(2026, 0, 15, 12);
  t.mock.method(Date, "now", () => now);
  const limiter = createRateLimiter({ name: "test", perMinute: 2 });
  for (let count = 0; count < 3; count++) await limiter.consume("client");
  now -= hour;
  const refused = await limiter.consume("client");
  assert.deepEqual([refused.isExceeded, refused.resetSeconds], [true, 60]);
  now += 2 * hour;
  assert.equal((await limiter.consume("client")).isExceeded, false);
});

test("counts that processes share forget minutes that began in a future that never came", onPostgres, async (t) => {
  const { service } = await start(t);
  const store = createRateLimitStore(service.database);
  const now = Date.now();
  const rows = [-1, 30_000, 90_000, hour].map((ahead) => ({ key: `${ahead}`, points: 3, expire: now + ahead }));
  await service.database.insertInto("rate_limit").values(rows).execute();
  await store.removeEnded(now);
  const left = await service.database.selectFrom("rate_limit").select("key").execute();
  assert.deepEqual(left.map(({ key }) => key).sort(), ["30000", "90000"]);
});
