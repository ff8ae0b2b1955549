import assert from "node:assert/strict";
import { test } from "node:test";
import { dayMilliseconds } from "../time/clock.ts";
import { findDropped, revisionsKept } from "./envelope.ts";

const day = (number: number) => number * dayMilliseconds;
const revisions = (count: number, timeOf: (revision: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ revision: index + 1, createdAt: timeOf(index + 1) }));

test("the newest 20 revisions stay, however quickly they came", () => {
  const all = revisions(25, (revision) => day(100) + revision);
  assert.deepEqual(findDropped(all.slice(0, revisionsKept), day(101)), []);
  assert.deepEqual(findDropped(all, day(101)), [5, 4, 3, 2, 1]);
  assert.deepEqual(findDropped([...all].reverse(), day(101)), [5, 4, 3, 2, 1]);
});

test("a burst drops nothing that was there the day before; after 30 days that goes too", () => {
  const before = revisions(3, (revision) => day(100) + revision);
  const burst = revisions(200, () => day(101)).map((one) => ({ ...one, revision: one.revision + 3 }));
  const dropped = findDropped([...before, ...burst], day(101) + 1);
  assert.equal(dropped.includes(3), false);
  assert.deepEqual(
    [1, 2, 4, 183, 184].map((revision) => dropped.includes(revision)),
    [true, true, true, true, false],
  );
  assert.ok(findDropped([...before, ...burst], day(131)).includes(3));
  // One revision a day: those that were in use within the last 30 days.
  const daily = revisions(100, day);
  assert.deepEqual(findDropped(daily, day(100)).length, 69);
});

test("a revision that nobody had to change for years stays for 30 days after a burst, too", () => {
  const old = revisions(1, () => day(100));
  const burst = revisions(200, () => day(900)).map((one) => ({ ...one, revision: one.revision + 1 }));
  assert.equal(findDropped([...old, ...burst], day(929)).includes(1), false);
  assert.ok(findDropped([...old, ...burst], day(930)).includes(1));
});
