import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { systemClock } from "../time/clock.ts";
import type { PurgeStore } from "./purge-store.ts";
import { createPurgeWorker } from "./purge-worker.ts";

/** A store whose forms are purged by `step`, and that has nothing else to do. */
function purgeBy(step: () => Promise<boolean>): PurgeStore {
  return {
    endDeliveries: async () => false,
    purgeForm: step,
    purgeSubmissions: async () => false,
    purgeTombstones: async () => false,
  };
}

test("a failure is reported, and the next run resumes where it stopped", async () => {
  const reports: unknown[] = [];
  const failure = new Error("disk full");
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  let batches = 0;
  const worker = createPurgeWorker({
    purge: purgeBy(async () => {
      batches += 1;
      if (batches === 2) throw failure;
      if (batches === 4) resolve();
      return batches < 4;
    }),
    retention: { expire: async () => false, expireOf: async () => false },
    bin: { expire: async () => false, expireOf: async () => false, purge: async () => false },
    purgeAuditLog: async () => false,
    shortenAuditLog: async () => false,
    purgeEnded: async () => false,
    tidy: async () => false,
    purgeAccounts: async () => false,
    remind: async () => false,
    isClockTrusted: async () => true,
    findHeldBack: async () => undefined,
    eraseTraces: async () => {},
    warnOfClock: () => {},
    clock: systemClock,
    wakeDeliveries: () => {},
    report(error) {
      reports.push(error);
      fail();
    },
  });
  worker.wake();
  await failed;
  await new Promise(setImmediate);
  worker.wake();
  await done;
  await worker.stop();
  assert.deepEqual([reports, batches], [[failure], 4]);
});

test("a wake during a run is not lost, traces are erased after each run, and after a stop no batch begins", async () => {
  let runs = 0;
  let erased = 0;
  const { promise: twice, resolve } = Promise.withResolvers<void>();
  const worker = createPurgeWorker({
    purge: purgeBy(async () => {
      runs += 1;
      if (runs === 1) worker.wake();
      return false;
    }),
    retention: { expire: async () => false, expireOf: async () => false },
    bin: { expire: async () => false, expireOf: async () => false, purge: async () => false },
    purgeAuditLog: async () => false,
    shortenAuditLog: async () => false,
    purgeEnded: async () => false,
    tidy: async () => false,
    purgeAccounts: async () => false,
    remind: async () => false,
    isClockTrusted: async () => true,
    findHeldBack: async () => undefined,
    eraseTraces: async () => {
      erased += 1;
      if (erased === 2) resolve();
    },
    warnOfClock: () => {},
    clock: systemClock,
    wakeDeliveries: () => {},
    report: (error) => assert.fail(String(error)),
  });
  worker.wake();
  await twice;
  await worker.stop();
  worker.wake();
  await worker.stop();
  assert.deepEqual([runs, erased], [2, 2]);
});

test("a wake runs no step for age but that of the form it names; a look, which is the first run, runs all", async () => {
  const expired: string[] = [];
  let runs = 0;
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>();
  const { promise: second, resolve: endSecond } = Promise.withResolvers<void>();
  const note = (name: string) => async () => {
    expired.push(name);
    return false;
  };
  const worker = createPurgeWorker({
    purge: { ...purgeBy(async () => false), purgeTombstones: note("tombstones") },
    retention: { expire: note("retention"), expireOf: async (id) => note(`retention of ${id}`)() },
    bin: { expire: note("bin"), expireOf: async (id) => note(`bin of ${id}`)(), purge: async () => false },
    purgeAuditLog: note("audit log"),
    shortenAuditLog: async () => false,
    purgeEnded: note("ended"),
    tidy: note("tidy"),
    purgeAccounts: note("accounts"),
    remind: async () => false,
    isClockTrusted: async () => true,
    findHeldBack: async () => undefined,
    eraseTraces: async () => {
      runs += 1;
      (runs === 1 ? endFirst : endSecond)();
    },
    warnOfClock: () => {},
    clock: systemClock,
    wakeDeliveries: () => {},
    report: (error) => assert.fail(String(error)),
  });
  worker.wake();
  await first;
  assert.deepEqual(expired.splice(0), ["accounts", "tidy", "retention", "bin", "tombstones", "audit log", "ended"]);
  const form = createId("form");
  for (let wakes = 0; wakes < 50; wakes++) worker.wake(form);
  await second;
  await worker.stop();
  assert.deepEqual([expired, runs], [[`retention of ${form}`, `bin of ${form}`], 2]);
});
