import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runTestsInBrowser } from "../../../tests/support/browser-tests.ts";
import { sampleEvery } from "../../../tests/support/sample.ts";

test("Chromium gives every guarantee of this package that Node gives", async (t) => {
  const all = globSync("*.test.ts", { cwd: import.meta.dirname, exclude: ["*.node.test.ts"] }).sort();
  // `npm test` has the vectors, and some of the others.
  const files = [
    "vectors.test.ts",
    ...sampleEvery(
      all.filter((file) => file !== "vectors.test.ts"),
      4,
    ),
  ];
  const results = await runTestsInBrowser(files.map((file) => join(import.meta.dirname, file)));
  assert.ok(all.length >= 7 && results.length > 100, `only ${results.length} tests of ${files.join(", ")}`);
  for (const { title, failure } of results) {
    await t.test(title, () => {
      if (failure !== undefined) assert.fail(failure);
    });
  }
});
