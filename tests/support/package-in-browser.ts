import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bundle, runTestsInBrowser } from "./browser-tests.ts";
import { sampleEvery } from "./sample.ts";

/** Runs the tests of a package, which are in `folder`, in Chromium too: at least `leastTests` of them. */
export function testInBrowser(folder: string, leastTests: number): void {
  const all = globSync("*.test.ts", { cwd: folder, exclude: ["*.node.test.ts"] }).sort();

  // All of them in each `npm test`, which runs a sample.
  test("each test file of this package can be bundled for a browser", async () => {
    await bundle(all.map((file) => join(folder, file)));
  });

  test("Chromium gives every guarantee of this package that Node gives", async (t) => {
    // `npm test` has the vectors, and some of the others.
    const files = [
      "vectors.test.ts",
      ...sampleEvery(
        all.filter((file) => file !== "vectors.test.ts"),
        4,
      ),
    ];
    const results = await runTestsInBrowser(files.map((file) => join(folder, file)));
    assert.ok(results.length > leastTests, `only ${results.length} tests of ${files.join(", ")}`);
    for (const { title, failure } of results) {
      await t.test(title, () => {
        if (failure !== undefined) assert.fail(failure);
      });
    }
  });
}
