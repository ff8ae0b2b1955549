import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { createForm, postPlain, silentWebhooks } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day, hourMilliseconds as hour } from "../time/clock.ts";
import { createBinPurgeStore } from "./bin-purge-store.ts";
import { isClockTrusted } from "./clock-guard-store.ts";
import { createGuardedClock } from "./guarded-clock.ts";
import { createPurgeStore } from "./purge-store.ts";
import { createRetentionStore } from "./retention-store.ts";

const minute = 60_000;

/** By how much a clock is wrong for a quarter of an hour, before it is set right. */
const wrongBy = Object.fromEntries(
  ([-1, 1] as const).flatMap((sign) =>
    ([2 * hour, 25 * hour, 3 * day, 365 * day] as const).map(
      (size) => [`${sign < 0 ? "slow" : "fast"} by ${size / hour} hours`, sign * size] as const,
    ),
  ),
);

/** A service whose clock can be wrong, and a purge like that of another process on its database. */
async function createBench(t: TestContext) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const guarded = createGuardedClock(clock, clock.steady);
  const [retention, bin, rows] = [
    createRetentionStore(service.database),
    createBinPurgeStore(service.database),
    createPurgeStore(service.database),
  ];
  return {
    service,
    account,
    clock,
    /** Sessions may be over by a clock that is wrong. */
    async ask(method: string, path: string, body?: unknown) {
      const answer = await service.request(method, path, { token: key, ...(body !== undefined && { body }) });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
    async look() {
      const now = guarded.now();
      if (await isClockTrusted(service.database, now, guarded)) {
        while (await retention.expire(now));
        while (await bin.expire(now));
      }
      while (await rows.purgeSubmissions());
      while (await bin.purge(now));
    },
  };
}

type Bench = Awaited<ReturnType<typeof createBench>>;

/** A form with or without an answer from before, and what came to it while the clock was wrong and after. */
async function createTestedForm({ service, account, ask }: Bench, isEmpty: boolean) {
  const formId = await createForm(account as TestAccount, { encryption: false, binDays: 1 });
  const path = `/api/forms/${formId}/submissions`;
  await ask("PUT", `/api/forms/${formId}/retention`, { days: 1 });
  const ids: string[] = [];
  const add = async () => {
    ids.push(await postPlain(service as TestService, formId as FormId));
    return ids.at(-1) ?? "";
  };
  if (!isEmpty) await add();
  return {
    ...{ formId, ids, add, path },
    stored: async (): Promise<string[]> =>
      (await ask("GET", `${path}?limit=100`)).submissions.map(({ id }: { id: string }) => id),
    inBin: async (): Promise<number> => (await ask("GET", `${path}/bin`)).total,
    after: async (id: string): Promise<string[]> =>
      ((await ask("GET", `${path}/export?after=${id}`)) as string)
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).id),
  };
}

for (const [name, wrong] of Object.entries(wrongBy))
  test(`a clock that is ${name} and then right deletes nothing before its time, and hides nothing from who follows`, async (t) => {
    const bench = await createBench(t);
    const { clock, look, ask } = bench;
    const forms = [await createTestedForm(bench, false), await createTestedForm(bench, true)];
    const binned = await createTestedForm(bench, false);
    await look();
    clock.advance(90 * minute);
    await look();

    clock.jump(wrong);
    for (let minutes = 0; minutes < 15; minutes += 5) {
      await look();
      clock.advance(5 * minute);
      for (const { add } of forms) await add();
    }
    await ask("POST", `${binned.path}/bin`, { ids: binned.ids });

    clock.jump(-wrong);
    // Within a day ahead the order is kept; beyond, the wrong ones stay the newest (docs/decisions/0057-order-of-receipt.md).
    const isFollowed = wrong <= day;
    const newest = forms.map(({ ids }) => ids.at(-1) ?? "");
    for (const { add } of forms) await add();
    for (const [index, { ids, after }] of forms.entries()) {
      assert.deepEqual(await after(ids[0] ?? ""), isFollowed ? ids.slice(1) : await after(ids[0] ?? ""));
      if (isFollowed) assert.deepEqual(await after(newest[index] ?? ""), ids.slice(-1));
    }
    for (let hours = 0; hours < 22; hours++) {
      await look();
      for (const { ids, stored } of forms)
        assert.deepEqual((await stored()).toSorted(), ids.toSorted(), `after ${hours} hours`);
      assert.equal(await binned.inBin(), 1, `in the bin after ${hours} hours`);
      clock.advance(hour);
    }
    if (wrong > 0) return;
    for (let hours = 0; hours < 30; hours++) {
      await look();
      clock.advance(hour);
    }
    for (const { stored } of forms) assert.deepEqual(await stored(), []);
    assert.equal(await binned.inBin(), 0);
  });

test("a machine that sleeps while the guard asks the database has no clock that went back", async (t) => {
  const clock = createFakeClock();
  const database = await openMigratedDatabase(t);
  const guarded = createGuardedClock(clock, clock.steady);
  const looked = isClockTrusted(database, guarded.now(), guarded);
  clock.advance(2 * day);
  // Somebody else reads the time before the database has answered.
  assert.equal(guarded.now(), clock.now());
  assert.equal(await looked, true);
  clock.advance(minute);
  assert.equal(guarded.now(), clock.now());
  assert.equal(await isClockTrusted(database, guarded.now(), guarded), true);
});
