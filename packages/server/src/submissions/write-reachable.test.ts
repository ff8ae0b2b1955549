import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { createFakeCluster } from "../testing/fake-cluster.ts";
import { type BatchEntry, type EntryOutcome, nothingWritten, writeReachable } from "./write-batch.ts";

test("a batch is written without the forms that are not reached; those are unavailable, all in their order", async () => {
  const { workers, work } = createFakeCluster({ a: true, b: false });
  const written: (readonly string[])[] = [];
  const result = await writeReachable(workers, ["b/1", "a/1", "b/2", "a/2", "a/1"].map(enter), async (entries) => {
    const formIds = entries.map(({ submission }) => submission.formId);
    written.push(formIds);
    await work(formIds);
    return { outcomes: entries.map(outcomeOf), deliveries: 2, aheadMilliseconds: 3 };
  });
  const unavailable: EntryOutcome = { outcome: "unavailable" };
  const outcomes = [unavailable, created(1), unavailable, created(2), created(1)];
  assert.deepEqual(result, { outcomes, deliveries: 2, aheadMilliseconds: 3 });
  assert.deepEqual(written, [
    ["b/1", "a/1", "b/2", "a/2", "a/1"],
    ["a/1", "a/2", "a/1"],
  ]);
});

test("a batch without a form that is reached writes nothing", async () => {
  const { workers, run } = createFakeCluster({ a: true, b: false });
  await run("b/1");
  const result = await writeReachable(workers, [enter("b/1")], () => assert.fail("nothing is to be written"));
  assert.deepEqual(result, { ...nothingWritten, outcomes: [{ outcome: "unavailable" }] });
});

/** Nothing but its form is looked at. */
function enter(formId: string): BatchEntry {
  return { submission: { formId: formId as FormId } } as BatchEntry;
}

/** An outcome by which a form is known. */
function outcomeOf({ submission }: BatchEntry): EntryOutcome {
  return created(Number(submission.formId.slice(2)));
}

function created(receivedAt: number): EntryOutcome {
  return { outcome: "created", receivedAt };
}
