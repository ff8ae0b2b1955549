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

test("a clock that advances, or stood still for days, is trusted", () => {
  assert.deepEqual(look([start, start + minute, start + 6 * day, start + 6 * day - hour]), [true, true, true, true]);
});

test("a clock that jumps ahead again by days while it waits, or while the service is stopped meanwhile, has not waited by it", () => {
  const [ahead, again] = [start + 30 * day, start + 33 * day];
  const hours = Array.from({ length: 25 }, (_, count) => again + count * hour);
  assert.deepEqual(look([start, ahead, ...hours]), [true, false, ...Array(24).fill(false), true]);
  assert.deepEqual(look([start, ahead, again, start + hour]), [true, false, false, true]);
  const { seen } = classifyClock({ at: start }, start + 2 * hour, minute);
  assert.equal(classifyClock(seen, start + 26 * hour, minute).isTrusted, false);
  assert.equal(classifyClock(seen, start + 26 * hour, day).isTrusted, true);
});

test("a clock that goes back is not believed before it has been past what was seen, or advanced for a day; set right, at once", () => {
  const back = start - 3 * hour;
  assert.deepEqual(look([start, back, back + hour, back + 2 * hour, back + 3 * hour]), [
    true,
    false,
    false,
    false,
    true,
  ]);
  assert.deepEqual(look([start, back, start + minute]), [true, false, true]);
  const long = start - year;
  assert.deepEqual(look([start, long, long + day - 1, long + day]), [true, false, false, true]);
  assert.deepEqual(look([start, long, long + hour, start + hour]), [true, false, false, true]);
});

test("a clock that jumped in a running process waits, however little beyond an hour; one that continued while the machine slept does not", () => {
  const seen = { at: start };
  assert.equal(classifyClock(seen, start + day, minute).isTrusted, false);
  assert.equal(classifyClock(seen, start + hour + minute, minute).isTrusted, true);
  assert.equal(classifyClock(seen, start + day, day).isTrusted, true);
});

test("a clock that jumped years ahead is not believed, and at once again when it is set right", () => {
  const ahead = start + 10 * year;
  assert.deepEqual(look([start, ahead, ahead + hour, start + 2 * hour]), [true, false, false, true]);
});

test("until when a clock was ahead is known once it is set right, and forgotten once one is set back", () => {
  const seenAfter = (times: readonly number[]) =>
    times.reduce<ClockSeen | undefined>((seen, now) => classifyClock(seen, now).seen, undefined);
  const ahead = start + year;
  const right = [start, ahead, ahead + hour, start + 2 * hour];
  assert.deepEqual(seenAfter(right), { at: start + 2 * hour, ahead: ahead + hour });
  assert.deepEqual(seenAfter([...right, start + day]), { at: start + day, ahead: ahead + hour });
  const back = start - 60 * day;
  const hours = Array.from({ length: 26 }, (_, count) => back + count * hour);
  assert.deepEqual(seenAfter([...right, ...hours]), { at: back + 25 * hour });
  assert.deepEqual(seenAfter([start, ...hours]), { at: back + 25 * hour });
});

test("after a pause of weeks the clock is trusted again when it has advanced for a day", () => {
  const back = start + 60 * day;
  const hours = Array.from({ length: 25 }, (_, count) => back + count * hour);
  assert.deepEqual(look([start, ...hours]), [true, ...Array(24).fill(false), true]);
});

test("a clock that jumps ahead again, or back within the jump, waits again", () => {
  const [one, two] = [start + year, start + 2 * year];
  const hoursFrom = (time: number) => Array.from({ length: 25 }, (_, count) => time + count * hour);
  const waited = [true, false, ...Array(24).fill(false), true];
  assert.deepEqual(look([start, one, ...hoursFrom(two)]), waited);
  assert.deepEqual(look([start, two, ...hoursFrom(one)]), waited);
});
