import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { listGrowing, toFigures } from "../../../../tests/contract/growing-work.ts";
import { addRows } from "../../../../tests/contract/grown-rows.ts";
import { createPurgeSteps, purgeAll } from "../retention/purge-worker.ts";
import { measureWork } from "../testing/measured-work.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createScene, createStepDependencies } from "./testing/purge-later.ts";

/** On SQLite the background runs on the thread that serves everybody, as requests do (docs/decisions/0063-bounded-lists.md). */

const takeWork = measureWork();

/** Requests that leave nothing to purge. */
const idle: Readonly<Record<string, (form: string) => readonly [method: string, path: string, body?: object]>> = {
  "the bin that is empty is emptied": (form) => ["DELETE", `${form}/submissions/bin?confirm=EMPTY_BIN`],
  "submissions of none are deleted": (form) => ["DELETE", `${form}/submissions?confirm=DELETE_SUBMISSIONS&before=1`],
  "retention stays off": (form) => ["PUT", `${form}/retention`, { days: null }],
  "a hold that there is not is lifted": (form) => ["DELETE", `${form}/hold`],
  "a name is changed": (form) => ["PATCH", form, { name: "Another" }],
};

test("a request that leaves nothing to purge wakes no purge", onSqlite, async (t) => {
  const service = await createTestService(t);
  const { owner, form } = await createScene(service);
  await wait(500);
  for (const [name, request] of Object.entries(idle)) {
    takeWork();
    assert.equal((await owner.request(...request(form))).status, 200, name);
    await wait(300);
    const ofPurge = takeWork().filter(({ text }) => text.includes(`from "submission_purge"`));
    assert.deepEqual(ofPurge, [], name);
  }
});

test(
  "a step of the purge that has nothing to do looks at as many rows as before when there are more",
  onSqlite,
  async (t) => {
    const service = await createTestService(t);
    const { owner, formId } = await createScene(service);
    const steps = createPurgeSteps(createStepDependencies(service));
    const measure = async (from: number, to: number) => {
      await addRows(service.database, { accountId: owner.id, formId }, from, to);
      const run = { steps, now: Date.now(), isTrusted: true, wakeDeliveries: () => {}, isStopped: () => false };
      await purgeAll(run);
      takeWork();
      await purgeAll(run);
      return new Map([["the purge", toFigures(takeWork())]]);
    };
    assert.deepEqual(listGrowing(await measure(1, 2_000), await measure(2_001, 5_000)), []);
  },
);
