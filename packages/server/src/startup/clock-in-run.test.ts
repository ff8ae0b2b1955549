import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../database/database.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { readRows } from "../database/testing/table-rows.ts";
import { isClockTrusted } from "../retention/clock-guard-store.ts";
import { createPurgeSteps, createPurgeWorker, type PurgeStep } from "../retention/purge-worker.ts";
import { createEndedRows, createShortRows } from "./ended-rows.ts";
import { fillYoung, later } from "./testing/fill-young.ts";
import { createStepDependencies } from "./testing/purge-later.ts";

/** Everything but what the guard notes, and sums that the purge draws up. */
async function readKept(database: Database) {
  const rows = new Map(await readRows(database));
  for (const table of ["instance", "counted_bytes"] as const) rows.delete(table);
  return rows;
}

test("a clock that jumps a year ahead while the purge is at work has no step delete anything, in that run or the next", async (t) => {
  const database = await openMigratedDatabase(t);
  await fillYoung(database);
  const before = await readKept(database);
  let now = Date.now();
  const answers: boolean[] = [];
  for (let run = 0; run < 2; run++) {
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    const worker = createPurgeWorker({
      ...createStepDependencies({ database }),
      clock: { now: () => now },
      async isClockTrusted(time) {
        const isTrusted = await isClockTrusted(database, time);
        answers.push(isTrusted);
        // In the moment after the guard was asked.
        now = later;
        return isTrusted;
      },
      findHeldBack: async () => undefined,
      eraseTraces: async () => resolve(),
      wakeDeliveries: () => {},
      warnOfClock: () => {},
      report: reject,
    });
    worker.wake();
    await done;
    await worker.stop();
    const after = await readKept(database);
    for (const [table, rows] of before) assert.deepEqual(after.get(table), rows, `${table}, run ${run + 1}`);
  }
  assert.deepEqual(answers, [true, false]);

  // More rows of one owner than stay unfolded.
  const bytes = Array.from({ length: 9 }, () => ({ owner_id: "of some account", bytes: 1 }));
  await database.insertInto("counted_bytes").values(bytes).execute();
  // A log that its owner has shortened.
  await database.updateTable("audit_head").set({ shortened_to: 1, shortened_before: later }).execute();
  // At that time each step would have had something to delete: the accounts last, as all else is theirs, and the bin before retention,
  // which empties it.
  const { byClock, byAge: all } = createPurgeSteps(createStepDependencies({ database }));
  const { ended: _inSteps, binExpiry, ...byAge } = all;
  const ended = { ...createEndedRows(database), ...createShortRows(database) };
  const steps: Readonly<Record<string, PurgeStep>> = { binExpiry, ...byAge, ...ended, accounts: byClock.accounts };
  const hasWork = async (step: PurgeStep) => {
    const rows = await readRows(database);
    await step(later);
    try {
      assert.deepEqual(await readRows(database), rows);
      return false;
    } catch {
      return true;
    }
  };
  const idle: string[] = [];
  for (const [name, step] of Object.entries(steps)) if (!(await hasWork(step))) idle.push(name);
  assert.deepEqual(idle, []);
});
