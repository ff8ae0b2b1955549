import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { testDatabaseKind } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createRateLimitStore } from "./rate-limit-store.ts";

const onPostgres = { skip: testDatabaseKind !== "postgres" && "SQLite is served by one process" };

test("processes on one database count an account's requests together", onPostgres, async (t) => {
  const folder = createTemporaryFolder(t);
  const environment = { SEALPOST_API_RATE: "6" };
  const [one, other] = [
    await createTestService(t, { folder, environment }),
    await createTestService(t, { folder, environment }),
  ];
  const { token } = await one.signUp();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : other).request("GET", "/api/forms", { token })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(6).fill(200), ...Array(6).fill(429)]);

  const keyRequests = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      (index % 2 === 0 ? one : other).request("GET", "/api/api-keys", { token }),
    ),
  );
  assert.equal(keyRequests.filter(({ status }) => status === 200).length, 20);
  // Nothing about a client's address is in there: only accounts, sessions and keys.
  await one.request("GET", "/api/forms");
  const { rows } = await sql<{ key: string }>`select key from rate_limit order by key`.execute(one.database);
  assert.deepEqual(
    rows.map(({ key }) => key.replace(/acc_.*/, "acc_").replace(/^(key-ending:)[\w-]+$/, "$1session")),
    ["api-keys:acc_", "api:acc_", "key-ending:session"],
  );
});

test("processes on one database count the exports of a person together", onPostgres, async (t) => {
  const folder = createTemporaryFolder(t);
  const [one, other] = [await createTestService(t, { folder }), await createTestService(t, { folder })];
  const { token } = await one.signUp();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? one : other).request("GET", "/api/account/export", { token }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(5).fill(200), ...Array(3).fill(429)]);
});

test(
  "shared counts show what is left, restart after a minute and are removed when they have ended",
  onPostgres,
  async (t) => {
    const { database } = await createTestService(t);
    const store = createRateLimitStore(database);
    const limiter = store.create({ name: "api", perMinute: 2 });
    const seen = [];
    for (let request = 0; request < 3; request++) seen.push(await limiter.consume("one"));
    assert.deepEqual(
      seen.map(({ remaining, isExceeded }) => [remaining, isExceeded]),
      [
        [1, false],
        [0, false],
        [0, true],
      ],
    );
    for (const { resetSeconds } of seen) assert.ok(resetSeconds >= 1 && resetSeconds <= 60);
    const count = async () => Number((await sql`select 1 from rate_limit`.execute(database)).rows.length);
    await store.removeEnded(Date.now());
    assert.equal(await count(), 1);
    await sql`update rate_limit set expire = ${Date.now() - 1}`.execute(database);
    assert.equal((await limiter.consume("one")).remaining, 1);
    await store.removeEnded(Date.now() + 61_000);
    assert.equal(await count(), 0);
    // By a clock that was a year ahead.
    await limiter.consume("one");
    await sql`update rate_limit set expire = ${Date.now() + 365 * 86_400_000}`.execute(database);
    await store.removeEnded(Date.now());
    assert.equal(await count(), 0);
  },
);
