import assert from "node:assert/strict";
import { test } from "node:test";
import { isWhole, samplePairs } from "./sample.ts";

test("each member of both lists is in a pair of the sample, whichever list is longer", { skip: isWhole }, () => {
  const letters = ["a", "b", "c", "d", "e", "f", "g"];
  for (const ones of [letters.slice(0, 1), letters.slice(0, 3), letters])
    for (const others of [letters.slice(0, 2), letters.slice(0, 3), letters]) {
      const pairs = samplePairs(ones, others);
      assert.equal(pairs.length, Math.max(ones.length, others.length));
      assert.deepEqual(
        [new Set(pairs.map(([one]) => one)), new Set(pairs.map(([, other]) => other))],
        [new Set(ones), new Set(others)],
      );
    }
});
