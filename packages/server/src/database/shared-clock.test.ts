import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { createFakeClock } from "../testing/fake-clock.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, onPostgres } from "../testing/test-database.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { openPostgres } from "./database.ts";
import { createSharedClock } from "./shared-clock.ts";

const minute = 60_000;

/** A shared clock on a machine whose own time of day is wrong, and what only moves on there. */
async function createBench(t: TestContext) {
  const { SEALPOST_DATABASE_URL: url = "" } = await createTestDatabase(t, createTemporaryFolder(t));
  const database = openPostgres(url);
  closeAtEnd(t, () => database.destroy());
  const own = createFakeClock(Date.UTC(1999, 11, 31));
  const steady = createFakeClock(1000.25);
  const shared = createSharedClock(database, own, steady);
  assert.equal(shared.now(), own.now());
  await shared.start();
  closeAtEnd(t, () => shared.stop());
  async function assertIsOfDatabase(): Promise<void> {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
    const now = rows[0]?.now.getTime() ?? 0;
    assert.ok(Math.abs(shared.now() - now) < minute, `${shared.now() - now} ms from the database's`);
  }
  return { own, steady, shared, assertIsOfDatabase };
}

test(
  "the shared clock is the database's and moves on with what passes, however wrong the machine's is",
  onPostgres,
  async (t) => {
    const { own, steady, shared, assertIsOfDatabase } = await createBench(t);
    await assertIsOfDatabase();
    const earlier = shared.now();
    own.advance(5);
    steady.advance(5);
    assert.equal(shared.now() - earlier, 5);
  },
);

for (const [direction, step] of [
  ["ahead", 5 * day],
  ["back", -5 * day],
] as const)
  test(
    `a machine's clock that is set ${direction} moves the shared clock by nothing, not even until it is measured again`,
    onPostgres,
    async (t) => {
      const { own, shared, assertIsOfDatabase } = await createBench(t);
      const earlier = shared.now();
      own.advance(step);
      assert.equal(shared.now(), earlier);
      await assertIsOfDatabase();
      const [set] = [shared.now()];
      own.advance(-step);
      assert.equal(shared.now(), set);
    },
  );

test(
  "after a machine was suspended the shared clock is late until the next reading has asked the database, and never ahead",
  onPostgres,
  async (t) => {
    const { own, steady, shared, assertIsOfDatabase } = await createBench(t);
    // As if a day had passed on the database meanwhile: the base of what passes stood still.
    steady.advance(-day);
    const late = shared.now();
    own.advance(1);
    while (shared.now() === late) await setImmediate();
    await assertIsOfDatabase();
    assert.ok(shared.now() - late > day - minute);
  },
);
