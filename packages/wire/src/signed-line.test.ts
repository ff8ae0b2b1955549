import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyKeyLog } from "./key-log.ts";
import { signedLineCases, tryOnKeyLog } from "./testing/signed-line-conformance.ts";

for (const vector of signedLineCases) {
  test(`an entry of a key log with ${vector.name}: ${vector.outcome}`, async () => {
    assert.equal(await tryOnKeyLog(verifyKeyLog, vector), vector.outcome);
  });
}
