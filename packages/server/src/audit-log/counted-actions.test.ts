import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { NewAuditEntry } from "./audit-entry.ts";
import { type CountedOccurrence, createCountedActions } from "./counted-actions.ts";

function createBench() {
  const clock = createFakeClock();
  const entries: NewAuditEntry[] = [];
  const errors: unknown[] = [];
  let isBroken = false;
  const record = async (entry: NewAuditEntry) => {
    if (isBroken) throw new Error("no database");
    entries.push(entry);
  };
  const counted = createCountedActions({
    record,
    recordRepeated: async (entry) => {
      await record(entry);
      return true;
    },
    clock,
    report: (error) => errors.push(error),
  });
  return {
    clock,
    entries,
    errors,
    counted,
    break: (wish: boolean) => {
      isBroken = wish;
    },
  };
}

const accountId: AccountId = createId("account");
/** Each reader is another person: one who signs in again is no other reader. */
const personOf = (number: number) => `acc_${number}` as AccountId; // nobody looks it up here
const read = (account: number, submissions = 1): CountedOccurrence => ({
  accountId,
  actor: { type: "session", id: `session ${account}`, personId: personOf(account) },
  action: "submissions.read",
  counts: { submissions },
});

test("counts that are running when the service stops are written, each once", async () => {
  const { counted, entries } = createBench();
  counted.note(read(1, 2));
  counted.note(read(1, 3));
  await counted.stop();
  await counted.stop();
  assert.deepEqual(
    entries.map(({ action, details }) => [action, details?.counts]),
    [
      ["submissions.read", undefined],
      ["submissions.read_counted", { submissions: 5 }],
    ],
  );
});

test("with so many readers that memory would grow, the oldest count ends early, and none is lost", async () => {
  const { counted, entries } = createBench();
  const actors = Array.from({ length: 10_050 }, (_, index) => ({
    ...read(1),
    actor: { type: "session" as const, id: `${index}`, personId: personOf(index) },
  }));
  for (const occurrence of actors) counted.note(occurrence);
  await counted.settle();
  const early = entries.filter(({ action }) => action === "submissions.read_counted");
  assert.equal(early.length, 50);
  await counted.stop();
  const all = entries.filter(({ action }) => action === "submissions.read_counted");
  assert.equal(
    all.reduce((sum, { details }) => sum + (details?.counts?.submissions ?? 0), 0),
    10_050,
  );
});

test("a clock that was set back ends the hours that it had begun", async () => {
  const { counted, entries, clock } = createBench();
  counted.note(read(1));
  clock.advance(-60_000);
  counted.note(read(1));
  await counted.settle();
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["submissions.read", "submissions.read_counted", "submissions.read"],
  );
});

test("an entry that can't be written is reported, and keeps no later one from being written", async () => {
  const bench = createBench();
  bench.break(true);
  bench.counted.note(read(1));
  await bench.counted.settle();
  assert.equal(bench.errors.length, 1);
  bench.break(false);
  bench.counted.noteLater(async () => read(2));
  bench.counted.noteLater(() => Promise.reject(new Error("not found out")));
  await bench.counted.settle();
  assert.deepEqual([bench.entries.length, bench.errors.length], [1, 2]);
});
