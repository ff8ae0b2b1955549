import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../database/database.ts";
import { createWorld, fillTables } from "../database/testing/fill-tables.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { readRows } from "../database/testing/table-rows.ts";
import { isClockTrusted } from "../retention/clock-guard-store.ts";
import { createPurgeSteps, createPurgeWorker, type PurgeStep } from "../retention/purge-worker.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { setAheadRight } from "./ahead-rows-store.ts";
import { createEndedRows } from "./ended-rows.ts";
import { createStepDependencies } from "./testing/purge-later.ts";

/** When every row that ends by itself has ended. */
const later = Date.now() + 400 * day;

/** A row of each table, none of which is due today. */
async function fillYoung(database: Database): Promise<void> {
  const [world, other] = [createWorld(), createWorld()];
  await fillTables(database, world, other);
  await fillTables(database, other, world);
  const [now, tomorrow] = [Date.now(), Date.now() + day];
  // Where their ends are further ahead than any that is given now.
  await setAheadRight(database, Date.now(), Number.MAX_SAFE_INTEGER - later);
  await database.updateTable("form_retention").set({ days: 1 }).execute();
  await database.updateTable("submission_tombstone").set({ deleted_at: now }).execute();
  await database.updateTable("audit_entry").set({ sequence: 1 }).where("account_id", "=", world.organization).execute();
  await database.updateTable("envelope").set({ removed_at: now }).execute();
  await database.updateTable("key_copy").set({ removed_at: now }).execute();
  await database.updateTable("organization").set({ ends_at: tomorrow }).execute();
  await database.updateTable("person").set({ leaves_at: tomorrow }).execute();
}

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
  const {
    accounts,
    ended: _inSteps,
    reminders: _deletesNothing,
    binExpiry,
    ...byAge
  } = createPurgeSteps(createStepDependencies({ database })).byAge;
  const ended = createEndedRows(database);
  const steps: Readonly<Record<string, PurgeStep>> = { binExpiry, ...byAge, ...ended, accounts };
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
