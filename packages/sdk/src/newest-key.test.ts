import assert from "node:assert/strict";
import { test } from "node:test";
import { findNewestKey } from "./newest-key.ts";

test("the newest key is that of the highest version in each order of two and three versions", () => {
  for (const versions of [[], [1], [1, 2], [2, 1], [1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]) {
    const keys = versions.map((version) => ({ version }));
    assert.equal(findNewestKey(keys)?.version, versions.length === 0 ? undefined : versions.length);
  }
});
