import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startLockTimer } from "./lock-timer.ts";

const minute = 60_000;
const day = 1440 * minute;

/** Both clocks of a computer and its timers, which go only when a test has them go. */
function mockClocks(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.UTC(2026, 0, 1) });
  let steady = 1_000;
  let shift = 0;
  const { now } = Date;
  t.mock.method(performance, "now", () => steady);
  t.mock.method(Date, "now", () => now() + shift);
  return {
    pass(milliseconds: number) {
      steady += milliseconds;
      t.mock.timers.tick(milliseconds);
    },
    /** The computer's clock is set, and no time passes. */
    set(milliseconds: number) {
      shift += milliseconds;
    },
    /** Only the computer's clock goes. */
    sleep(milliseconds: number) {
      shift += milliseconds;
    },
  };
}

for (const back of [minute, 60 * minute, 40 * day, 4000 * day])
  test(`a key is locked once its time is over, although the computer's clock was set back by ${back / minute} minutes`, (t) => {
    const clocks = mockClocks(t);
    const lock = t.mock.fn();
    const timers = t.mock.method(globalThis, "setTimeout");
    startLockTimer(() => 15, { onOver: lock });
    clocks.pass(5 * minute);
    clocks.set(-back);
    clocks.pass(9 * minute);
    assert.equal(lock.mock.callCount(), 0);
    clocks.pass(minute);
    assert.equal(lock.mock.callCount(), 1);
    assert.ok(timers.mock.callCount() < 5, `${timers.mock.callCount()} timers`);
  });

test("a key is locked after the computer's sleep, and when the computer's clock is set ahead", (t) => {
  const clocks = mockClocks(t);
  const lock = t.mock.fn();
  const timer = startLockTimer(() => 15, { onOver: lock });
  clocks.pass(minute);
  clocks.sleep(15 * minute);
  assert.equal(timer.isOver(), true);
  assert.equal(lock.mock.callCount(), 1);
});

test("a time longer than a timer can be is waited for with several, and is over at its end", (t) => {
  const clocks = mockClocks(t);
  const lock = t.mock.fn();
  const timers = t.mock.method(globalThis, "setTimeout");
  startLockTimer(() => (40 * day) / minute, { onOver: lock });
  clocks.pass(39 * day);
  assert.equal(lock.mock.callCount(), 0);
  assert.ok(timers.mock.callCount() < 5, `${timers.mock.callCount()} timers`);
  for (const { arguments: given } of timers.mock.calls) assert.ok(Number(given[1]) < 2 ** 31);
  clocks.pass(day);
  assert.equal(lock.mock.callCount(), 1);
});
