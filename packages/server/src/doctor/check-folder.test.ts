import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeDisk } from "./check-folder.ts";

test("a disk that runs full is told before it is full", () => {
  const levels = [0, 199, 200, 1023, 1024, 80_000].map((mebibytes) => judgeDisk(".", mebibytes * 1_048_576).level);
  assert.deepEqual(levels, ["problem", "problem", "warning", "warning", "ok", "ok"]);
});
