import assert from "node:assert/strict";
import { test } from "node:test";

const hourMilliseconds = 3_600_000;
const dayMilliseconds = 24 * hourMilliseconds;

import { defaultSessionLimits, isSessionOver, noteUseEvery } from "./session-limits.ts";

const now = 1_800_000_000_000;
const limits = { idleMilliseconds: hourMilliseconds, maxMilliseconds: dayMilliseconds };

test("a session ends after its idle limit and after its absolute one, and a clock that was an hour ahead ends none", () => {
  const isOver = (createdAt: number, lastUsedAt: number) => isSessionOver({ createdAt, lastUsedAt }, now, limits);
  assert.equal(isOver(now - dayMilliseconds, now - hourMilliseconds), false);
  assert.equal(isOver(now - 2 * hourMilliseconds, now - hourMilliseconds - 1), true);
  assert.equal(isOver(now - dayMilliseconds - 1, now), true);
  assert.equal(isOver(now + hourMilliseconds, now + hourMilliseconds), false, "written by a clock that was ahead");
  const opened = { createdAt: now - hourMilliseconds, lastUsedAt: now };
  assert.equal(isSessionOver({ ...opened, endsAt: now }, now, defaultSessionLimits), true, "opened by a provider");
  assert.equal(isSessionOver({ ...opened, endsAt: now + 1 }, now, defaultSessionLimits), false);
  const hourLater = now + hourMilliseconds;
  assert.equal(isSessionOver({ createdAt: now, lastUsedAt: now }, hourLater, defaultSessionLimits), false);
  const inAYear = { createdAt: now, lastUsedAt: now + 365 * dayMilliseconds };
  assert.equal(isSessionOver(inAYear, inAYear.lastUsedAt, defaultSessionLimits), false, "without an absolute limit");
});

test("a session from a clock that was ahead by more than a limit ends with it", () => {
  const ahead = now + 2 * dayMilliseconds;
  assert.equal(isSessionOver({ createdAt: ahead, lastUsedAt: now }, now, limits), true, "by its beginning");
  assert.equal(isSessionOver({ createdAt: now, lastUsedAt: ahead }, now, limits), true, "by its use");
  const used = { createdAt: ahead, lastUsedAt: now };
  assert.equal(
    isSessionOver({ ...used, endsAt: ahead + dayMilliseconds }, now, defaultSessionLimits),
    true,
    "by its end",
  );
  assert.equal(isSessionOver({ ...used, endsAt: ahead + 3 * dayMilliseconds }, now, defaultSessionLimits), false);
});

test("the use of a session is written often enough for its idle limit, and no more than every five minutes", () => {
  assert.equal(noteUseEvery(defaultSessionLimits), 5 * 60_000);
  assert.equal(noteUseEvery({ ...limits, idleMilliseconds: 10 * 60_000 }), 60_000);
});
