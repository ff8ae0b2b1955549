import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "../browsers");

for (const file of globSync("*.check.ts", { cwd: folder }))
  test(`${file} runs in every browser that is found, and leaves one out only where a comment says why`, () => {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    assert.ok(lines.some((line) => line.includes("await findEngines()")));
    // The comment is at the end of the line before.
    const choosing = /engines.*\.(?:filter|find|at|slice)\(|findEngines\(\)\)[.[]|\bname [!=]== "|engine\.name\b(?!\})/;
    const unexplained = lines.filter((line, index) => choosing.test(line) && !/^\s*\/\//.test(lines[index - 1] ?? ""));
    assert.deepEqual(unexplained, []);
  });

test("no test of the dashboard intercepts by itself: what an open page asks in between would pass by", () => {
  const tests = join(import.meta.dirname, "../dashboard");
  const byHand = globSync("*.ts", { cwd: tests }).filter((file) =>
    /\.route\(/.test(readFileSync(join(tests, file), "utf8")),
  );
  assert.deepEqual(byHand, ["intercept.ts"]);
});
