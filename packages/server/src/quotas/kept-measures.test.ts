import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeptMeasures } from "./kept-measures.ts";

function createScene(rows: number) {
  let time = 0;
  let begun = 0;
  const waiting: (() => void)[] = [];
  const measures = createKeptMeasures(
    () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const value = ++begun;
      return promise.then(() => ({ value, rows }));
    },
    () => time,
  );
  /** Ends the running measures, and gives the waiting ones their turn. */
  const end = async () => {
    for (const resolve of waiting.splice(0)) resolve();
    await new Promise(setImmediate);
  };
  const find = () => measures.find("one").then(({ value }) => value);
  return { find, end, advance: (milliseconds: number) => (time += milliseconds), begun: () => begun };
}

test("what looks at few rows is measured for each question, by none that began before it", async () => {
  const { find, end, begun } = createScene(999);
  const first = find();
  const [second, third] = [find(), find()];
  await end();
  await end();
  assert.deepEqual(await Promise.all([first, second, third]), [1, 2, 2]);
  const last = find();
  await end();
  assert.equal(await last, 3);
  assert.equal(begun(), 3);
});

test("what looks at many rows is kept for a second for each 10,000, and measured once for all that ask then", async () => {
  const { find, end, advance, begun } = createScene(20_000);
  const first = find();
  await end();
  assert.equal(await first, 1);
  advance(1999);
  assert.equal(await find(), 1);
  advance(1);
  const asked = Array.from({ length: 5 }, find);
  await end();
  assert.deepEqual(await Promise.all(asked), [2, 2, 2, 2, 2]);
  assert.equal(begun(), 2);
});

test("one that fails is kept for nobody", async () => {
  let count = 0;
  const measures = createKeptMeasures(async () => {
    if (++count === 1) throw new Error("the database is away");
    return { value: count, rows: 20_000 };
  });
  const results = await Promise.allSettled([measures.find("one"), measures.find("one")]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
});
