import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../problems/problem.ts";
import { holdTurns } from "../testing/hold-turns.ts";
import { createFairQueue } from "./fair-queue.ts";

const options = {
  waitingMax: 6,
  waitingMaxOfOne: 4,
  message: "Too many passwords are being checked at this moment. Please try again.",
  retrySeconds: 5,
} as const;

const of = (accountId: string) => ({ accountId, personId: undefined });

test("an account that asks for much waits for itself: everybody gets a turn before anybody gets a second", async () => {
  const queue = createFairQueue({ ...options, runningMax: 1 });
  const free = holdTurns(1, (work) => queue.run(of("owner"), work));
  const order: string[] = [];
  const waiting = ["flood 1", "flood 2", "flood 3", "visitor 1", "other 1"].map((name) =>
    queue.run(of(name.slice(0, -2)), async () => {
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
  assert.equal(await queue.run(of("visitor"), async () => "at once"), "at once");
});

test("work without a place is refused until later, at the bound of one and at the bound of all", async () => {
  const queue = createFairQueue({ ...options, runningMax: 2 });
  const free = holdTurns(2, (work) => queue.run(of("owner"), work));
  const run = (whose: string) => queue.run(of(whose), async () => whose);
  const isPutOff = (error: unknown) =>
    error instanceof Problem && error.status === 503 && error.retryAfter === 5 && error.message === options.message;
  const waiting = Array.from({ length: 4 }, () => run("flood"));
  await assert.rejects(run("flood"), isPutOff);
  free();
  assert.deepEqual(await Promise.all(waiting), ["flood", "flood", "flood", "flood"]);

  const freeAgain = holdTurns(2, (work) => queue.run(of("owner"), work));
  const one = ["a", "b", "c", "d", "e", "f"].map(run);
  await assert.rejects(run("seventh"), isPutOff);
  freeAgain();
  assert.deepEqual(await Promise.all(one), ["a", "b", "c", "d", "e", "f"]);
});

test("a flood that has taken all places gives one up to each account, and each form, that comes with less", async () => {
  const queue = createFairQueue({ ...options, runningMax: 1 });
  const free = holdTurns(1, (work) => queue.run(of("owner"), work));
  const order: string[] = [];
  const putOff: string[] = [];
  const run = (account: string, part: string) =>
    queue
      .run(of(account), async () => void order.push(`${account} ${part}`), part)
      .catch(() => void putOff.push(`${account} ${part}`));
  const all = ["a", "b", "c", "d", "e", "f"].map((part) => run("flood", part));
  all.push(run("visitor", "a"), run("visitor", "a"), run("visitor", "a"));
  // As many as the flood has now: nobody has to give up anything for the fourth, but for another form of its own.
  all.push(run("visitor", "a"), run("visitor", "b"));
  await new Promise(setImmediate);
  assert.deepEqual(putOff.toSorted(), ["flood d", "flood e", "flood f", "visitor a", "visitor a"]);
  free();
  await Promise.all(all);
  assert.deepEqual(order, ["flood a", "visitor a", "flood b", "visitor b", "flood c", "visitor a"]);
});
