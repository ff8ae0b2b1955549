import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { gatherCounts } from "./gathered-counts.ts";

/** A table whose statements end when it is said. */
function openTable() {
  const sums = new Map<string, number>();
  const statements: { readonly key: string; readonly count: number; end(error?: Error): void }[] = [];
  const count = gatherCounts((key, points) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ consumedPoints: number; msBeforeNext: number }>();
    statements.push({
      key,
      count: points,
      end(error) {
        if (error !== undefined) return reject(error);
        sums.set(key, (sums.get(key) ?? 0) + points);
        resolve({ consumedPoints: sums.get(key) ?? 0, msBeforeNext: 7 });
      },
    });
    return promise;
  });
  return {
    count,
    async end(index: number, error?: Error) {
      await setImmediate();
      statements[index]?.end(error);
      await setImmediate();
      return statements.map(({ key, count: points }) => `${key} ${points}`);
    },
  };
}

test("of one key a single statement is under way, however many are counted at once, and each hears its own sum", async () => {
  const { count, end } = openTable();
  const first = count("one", 1);
  await setImmediate();
  const rest = Array.from({ length: 300 }, () => count("one", 1));
  const other = count("other", 1);
  assert.deepEqual(await end(0), ["one 1", "other 1", "one 300"], "another key waits for nothing");
  await end(1);
  await end(2);
  assert.equal((await first).consumedPoints, 1);
  assert.equal((await other).consumedPoints, 1);
  const sums = (await Promise.all(rest)).map(({ consumedPoints }) => consumedPoints);
  assert.deepEqual(
    sums,
    Array.from({ length: 300 }, (_, index) => index + 2),
  );
  const later = [count("one", 5), count("one", 2)];
  assert.deepEqual((await end(3)).at(-1), "one 7");
  assert.deepEqual(
    (await Promise.all(later)).map(({ consumedPoints }) => consumedPoints),
    [306, 308],
  );
});

test("a statement that fails fails for those that it was for, and the next are counted", async () => {
  const { count, end } = openTable();
  const first = count("one", 1);
  await setImmediate();
  const second = count("one", 1);
  const failed = assert.rejects(first, /away/);
  await end(0, new Error("away"));
  await failed;
  await end(1);
  assert.equal((await second).consumedPoints, 1);
});
