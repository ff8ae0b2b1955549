import assert from "node:assert/strict";
import { test } from "node:test";
import { expectedOfVouching, tryVouching, vouchingVectorFile } from "./testing/vouching-conformance.ts";
import { findEdges, findVouched } from "./vouching.ts";

for (const vector of vouchingVectorFile)
  test(`${vector.name}: ${vector.vouched.length} are vouched for`, async () => {
    assert.deepEqual(await tryVouching({ findEdges, findVouched }, vector), expectedOfVouching(vector));
  });
