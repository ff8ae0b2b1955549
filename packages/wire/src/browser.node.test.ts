import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runTestsInBrowser } from "../../../tests/support/browser-tests.ts";
import { sampleEvery } from "../../../tests/support/sample.ts";

test("Chromium gives every guarantee of this package that Node gives", async (t) => {
  // The vectors are among the four or five of `npm test`.
  const all = globSync("*.test.ts", { cwd: import.meta.dirname, exclude: ["*.node.test.ts"] }).sort();
  const files = sampleEvery(all, 4);
  const results = await runTestsInBrowser(files.map((file) => join(import.meta.dirname, file)));
  assert.ok(
    all.length >= 7 && files.some((file) => file === "vectors.test.ts") && results.length > 100,
    `only ${results.length} tests of ${files.join(", ")}`,
  );
  for (const { title, failure } of results) {
    await t.test(title, () => {
      if (failure !== undefined) assert.fail(failure);
    });
  }
});
