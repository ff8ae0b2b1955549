import assert from "node:assert/strict";
import { test } from "node:test";
import { createRowOrder } from "./row-order.ts";

test("no row is in the list twice, and each is where it was, whatever is removed, put back, restored elsewhere and looked for again", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const name = (number: number) => String(number).padStart(4, "0");
  for (let round = 0; round < 50; round++) {
    const order = createRowOrder();
    const onServer = new Set(Array.from({ length: 12 }, (_, index) => name(index)));
    const shown = new Set<string>();
    const newestFirst = () => [...onServer].toSorted().toReversed();
    /** As the inbox adds what it did not show. */
    const look = (count: number) => {
      const fresh = newestFirst()
        .slice(0, count)
        .filter((id) => !shown.has(id));
      for (const id of fresh) shown.add(id);
      order.addNewest(fresh);
    };
    const stream = () => {
      for (const id of [...onServer].toSorted().filter((one) => !shown.has(one))) {
        shown.add(id);
        order.addStreamed(id);
      }
    };
    look(4);
    stream();
    const removed: string[] = [];
    for (let step = 0, next = 12; step < 60; step++) {
      const some = [...shown][random(shown.size)];
      const back = removed[random(removed.length)];
      const what = random(4);
      if (what === 0 && some !== undefined) {
        shown.delete(some);
        onServer.delete(some);
        removed.push(some);
      } else if (what === 1 && back !== undefined) {
        onServer.add(back); // by the bin page of another tab, or by Undo
        if (random(2) === 0) shown.add(back);
      } else if (what === 2) onServer.add(name(next++));
      else look(onServer.size);
      const rows = order.ids().filter((id) => shown.has(id));
      assert.equal(new Set(rows).size, rows.length, `${rows}`);
      assert.deepEqual(rows, [...shown].toSorted().toReversed());
    }
  }
});
