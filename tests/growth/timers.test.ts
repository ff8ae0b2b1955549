import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOfServiceWith, timers } from "./timers.ts";

test("every file of the service that has something done later says how it comes into the check of growth", () => {
  assert.deepEqual(filesOfServiceWith(/\b(?:setInterval|setTimeout|createLoop)\(/), Object.keys(timers));
});
