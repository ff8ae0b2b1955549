import assert from "node:assert/strict";
import { test } from "node:test";
import { type Look, next, type Standstill } from "./standstill.ts";

const start: Standstill = { last: { milliseconds: 0, beats: 1, isDebugged: false }, milliseconds: 0 };

/** Looks once a second; `at` says what is other than a loop that stands still. */
function lookFor(seconds: number, at: (second: number) => Partial<Look> = () => ({})): Standstill {
  let standstill = start;
  for (let second = 1; second <= seconds; second++) {
    const look = { milliseconds: second * 1000, beats: 1, isDebugged: false, ...at(second) };
    standstill = next(standstill, look, 1000);
  }
  return standstill;
}

test("a loop that stands still is counted by the watchdog's own time", () => {
  assert.equal(lookFor(30).milliseconds, 30_000);
});

test("a loop that comes round now and then, however busy, stands for no longer than since then", () => {
  assert.equal(lookFor(100, (second) => ({ beats: Math.floor(second / 20) })).milliseconds, 0);
  assert.equal(lookFor(99, (second) => ({ beats: Math.floor(second / 20) })).milliseconds, 19_000);
});

test("counting restarts after a machine slept, or a process was stopped and continued", () => {
  const hour = 3_600_000;
  const slept = (second: number) => ({ milliseconds: second * 1000 + (second > 20 ? hour : 0) });
  assert.equal(lookFor(21, slept).milliseconds, 0);
  assert.equal(lookFor(31, slept).milliseconds, 10_000);
  // So busy that each look comes late: nothing is concluded.
  assert.equal(lookFor(100, (second) => ({ milliseconds: second * 4000 })).milliseconds, 0);
});

test("while somebody debugs the service it never counts as standing still", () => {
  assert.equal(lookFor(100, () => ({ isDebugged: true })).milliseconds, 0);
});
