import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dayMilliseconds as day, hourMilliseconds as hour } from "../time/clock.ts";
import { createWarnOfAhead, nextInOrder } from "./row-order.ts";

const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });

test("a row is dated after the newest one, by the clock where that is later", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: -day, max: 10 * day }), (newest, later) => {
      const next = nextInOrder(newest + later, newest);
      assert.ok(next > newest);
      assert.equal(next, Math.max(newest + 1, newest + later));
    }),
  );
});

test("a clock that was wrong by more than a day dates nothing from the moment on that it is right", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: day + 1, max: 3650 * day }), (now, ahead) => {
      assert.equal(nextInOrder(now, now + ahead), now);
    }),
  );
});

test("a warning says once an hour that the clock was set back, and nothing of differences between machines", () => {
  let now = 0;
  const warnings: string[] = [];
  const observe = createWarnOfAhead({ now: () => now, warn: (message) => warnings.push(message) });
  observe(5000);
  assert.deepEqual(warnings, []);
  observe(2 * hour);
  now += hour - 1;
  observe(2 * hour);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /7200 s ahead of the clock.*new ones are dated after it/);
  now += 1;
  observe(2 * day);
  assert.match(
    warnings[1] ?? "",
    /172800 s ahead of the clock.*programs that continue after the newest do not see them/,
  );
});
