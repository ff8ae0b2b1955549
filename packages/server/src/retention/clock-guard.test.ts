import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClockSeen, classifyClock } from "./clock-guard.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
const start = Date.UTC(2026, 0, 15);

/** Whether the clock is believed at each of these looks, one after the other. */
function look(times: readonly number[]): readonly boolean[] {
  let seen: ClockSeen | undefined;
  return times.map((now) => {
    const result = classifyClock(seen, now);
    seen = result.seen;
    return result.isTrusted;
  });
}

test("a clock that advances, stands still for days or goes back is trusted", () => {
  assert.deepEqual(look([start, start + minute, start + 6 * day, start - year]), [true, true, true, true]);
});

test("a clock that jumped years ahead is not believed, and at once again when it is set right", () => {
  const ahead = start + 10 * year;
  assert.deepEqual(look([start, ahead, ahead + hour, start + 2 * hour]), [true, false, false, true]);
});

test("after a pause of weeks the clock is trusted again when it has advanced for a day", () => {
  const back = start + 60 * day;
  const hours = Array.from({ length: 25 }, (_, count) => back + count * hour);
  assert.deepEqual(look([start, ...hours]), [true, ...Array(24).fill(false), true]);
});

test("a clock that jumps ahead again, or back within the jump, waits again", () => {
  const [one, two] = [start + year, start + 2 * year];
  assert.deepEqual(look([start, one, two, two + day - 1, two + day]), [true, false, false, false, true]);
  assert.deepEqual(look([start, two, one, one + day - 1, one + day]), [true, false, false, false, true]);
});
