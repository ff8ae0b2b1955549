import assert from "node:assert/strict";
import { test } from "node:test";
import { mapInOrder } from "./map-in-order.ts";

async function* count(to: number, read: number[] = []) {
  for (let item = 0; item < to; item++) {
    read.push(item);
    yield item;
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("results come in the order of the source, whichever is ready first, and as many run at once as allowed", async () => {
  const waiting: { readonly item: number; readonly finish: () => void }[] = [];
  let most = 0;
  const mapped = mapInOrder(count(6), 3, async (item) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ item, finish: done.resolve });
    most = Math.max(most, waiting.length);
    // The last of three lets all of them go, itself first.
    if (waiting.length === 3) for (const one of waiting.splice(0).reverse()) one.finish();
    await done.promise;
    return item * 10;
  });
  assert.deepEqual(await collect(mapped), [0, 10, 20, 30, 40, 50]);
  assert.equal(most, 3);
});

test("mapInOrder reads no further ahead than it works", async () => {
  const read: number[] = [];
  const mapped = mapInOrder(count(100, read), 4, async (item) => item);
  await mapped.next();
  assert.equal(read.length, 4);
  await mapped.return();
});

test("nothing in, nothing out, and fewer than the limit all come out", async () => {
  assert.deepEqual(await collect(mapInOrder(count(0), 4, async (item) => item)), []);
  assert.deepEqual(await collect(mapInOrder(count(3), 8, async (item) => item)), [0, 1, 2]);
});

test("a failure ends it with that failure after what came before", async () => {
  const seen: number[] = [];
  const mapped = mapInOrder(count(10), 4, async (item) => {
    if (item >= 2) throw new Error(`failed at ${item}`);
    return item;
  });
  await assert.rejects(
    async () => {
      for await (const item of mapped) seen.push(item);
    },
    { message: "failed at 2" },
  );
  assert.deepEqual(seen, [0, 1]);
});
