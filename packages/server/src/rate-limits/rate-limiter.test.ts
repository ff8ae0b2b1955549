import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateLimiter } from "./rate-limiter.ts";

test("the last request within the limit passes, the next does not, and each key has its own", async () => {
  const limiter = createRateLimiter({ name: "api", perMinute: 3 });
  const seen = [];
  for (let request = 0; request < 5; request++) seen.push(await limiter.consume("one"));
  assert.deepEqual(
    seen.map(({ remaining, isExceeded }) => [remaining, isExceeded]),
    [
      [2, false],
      [1, false],
      [0, false],
      [0, true],
      [0, true],
    ],
  );
  assert.equal((await limiter.consume("other")).remaining, 2);
});

test("a fresh minute begins 60 seconds after the first request, and not a millisecond before", async (t) => {
  t.mock.timers.enable({ apis: ["Date", "setTimeout"] });
  const limiter = createRateLimiter({ name: "api", perMinute: 1 });
  assert.equal((await limiter.consume("one")).resetSeconds, 60);
  t.mock.timers.tick(59_999);
  const late = await limiter.consume("one");
  assert.deepEqual([late.isExceeded, late.resetSeconds], [true, 1]);
  t.mock.timers.tick(1);
  const fresh = await limiter.consume("one");
  assert.deepEqual([fresh.isExceeded, fresh.remaining, fresh.resetSeconds], [false, 0, 60]);
});

test("simultaneous requests are counted one by one", async () => {
  const limiter = createRateLimiter({ name: "api", perMinute: 10 });
  const quotas = await Promise.all(Array.from({ length: 50 }, () => limiter.consume("one")));
  assert.equal(quotas.filter(({ isExceeded }) => !isExceeded).length, 10);
});

test("peeking counts nothing", async () => {
  const limiter = createRateLimiter({ name: "api", perMinute: 2 });
  assert.equal((await limiter.peek("one")).remaining, 2);
  await limiter.consume("one");
  assert.equal((await limiter.peek("one")).remaining, 1);
  assert.equal((await limiter.peek("one")).remaining, 1);
});

test("the table never holds more keys than it may: the one that began first is forgotten", async () => {
  const limiter = createRateLimiter({ name: "api", perMinute: 5, entriesMax: 3 });
  for (const key of ["a", "b", "c"]) await limiter.consume(key);
  await limiter.consume("a"); // begins nothing, so it stays the oldest
  await limiter.consume("d");
  const remaining = async (key: string) => (await limiter.peek(key)).remaining;
  assert.deepEqual(
    [await remaining("a"), await remaining("b"), await remaining("c"), await remaining("d")],
    [5, 4, 4, 4],
  );
});

test("a key whose minute restarted is no longer the oldest", async (t) => {
  t.mock.timers.enable({ apis: ["Date", "setTimeout"] });
  const limiter = createRateLimiter({ name: "api", perMinute: 5, entriesMax: 2 });
  await limiter.consume("a");
  t.mock.timers.tick(30_000);
  await limiter.consume("b");
  t.mock.timers.tick(30_000);
  await limiter.consume("a");
  await limiter.consume("c");
  assert.deepEqual([(await limiter.peek("a")).remaining, (await limiter.peek("b")).remaining], [4, 5]);
});
