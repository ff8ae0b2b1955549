import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runTestsInBrowser } from "../../../tests/support/browser-tests.ts";

test("Chromium gives every guarantee of this package that Node gives", async (t) => {
  const files = globSync("*.test.ts", { cwd: import.meta.dirname, exclude: ["*.node.test.ts"] }).sort();
  const results = await runTestsInBrowser(files.map((file) => join(import.meta.dirname, file)));
  assert.ok(files.length >= 2 && results.length > 150, `only ${results.length} tests of ${files.join(", ")}`);
  for (const { title, failure } of results) {
    await t.test(title, () => {
      if (failure !== undefined) assert.fail(failure);
    });
  }
});
