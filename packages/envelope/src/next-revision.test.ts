import assert from "node:assert/strict";
import { test } from "node:test";
import { findNextKey } from "./next-revision.ts";

test("a rotation follows no key version that the server made up", () => {
  assert.deepEqual(findNextKey([{ version: 2 }, { version: 1 }], []), { version: 3, isHybrid: false });
  assert.equal(findNextKey([{ version: 999 }], []).version, 1000);
  for (const version of [1000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, Number.NaN])
    assert.throws(() => findNextKey([{ version }], []), /a form has at most 1000 key pairs/);
});
