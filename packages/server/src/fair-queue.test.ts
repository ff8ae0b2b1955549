import assert from "node:assert/strict";
import { test } from "node:test";
import { createFairQueue } from "./fair-queue.ts";
import { Problem } from "./problem.ts";

const options = { waitingMax: 6, waitingMaxOfOne: 4, message: "Come again", retrySeconds: 5 };

/** Keeps turns taken until `free` is called. */
function holdTurns(queue: ReturnType<typeof createFairQueue>, number: number) {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  for (let turn = 0; turn < number; turn++) void queue.run("holder", () => promise);
  return free;
}

test("who asks for much waits behind themselves: everybody gets a turn before anybody gets a second", async () => {
  const queue = createFairQueue({ ...options, runningMax: 1 });
  const free = holdTurns(queue, 1);
  const order: string[] = [];
  const waiting = ["flood 1", "flood 2", "flood 3", "visitor 1", "other 1"].map((name) =>
    queue.run(name.slice(0, -2), async () => {
      order.push(name);
      throw new Error(name);
    }),
  );
  await Promise.resolve();
  assert.deepEqual(order, []);
  free();
  // A failure gives its turn back.
  assert.ok((await Promise.allSettled(waiting)).every(({ status }) => status === "rejected"));
  assert.deepEqual(order, ["flood 1", "visitor 1", "other 1", "flood 2", "flood 3"]);
  assert.equal(await queue.run("visitor", async () => "at once"), "at once");
});

test("what finds no place is told to come again, at the bound of one and at the bound of all", async () => {
  const queue = createFairQueue({ ...options, runningMax: 2 });
  const free = holdTurns(queue, 2);
  const run = (whose: string) => queue.run(whose, async () => whose);
  const isPutOff = (error: unknown) =>
    error instanceof Problem && error.status === 503 && error.retryAfter === 5 && error.message === "Come again";
  const waiting = Array.from({ length: 4 }, () => run("flood"));
  await assert.rejects(run("flood"), isPutOff);
  waiting.push(run("visitor"), run("other"));
  await assert.rejects(run("fourth"), isPutOff);
  free();
  assert.deepEqual((await Promise.all(waiting)).toSorted(), ["flood", "flood", "flood", "flood", "other", "visitor"]);
});
