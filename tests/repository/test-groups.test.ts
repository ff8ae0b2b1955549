import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { writeTestGroups } from "../../scripts/test-groups.ts";

test("files that share a process and a module keep their own tests and hooks", (t) => {
  const folder = createTemporaryFolder(t);
  writeFileSync(join(folder, "shared.mjs"), "await new Promise((resolve) => setTimeout(resolve, 50));");
  const write = (name: string) => {
    const path = join(folder, `${name}.test.mjs`);
    const lines = [
      'import assert from "node:assert/strict";',
      'import { before, test } from "node:test";',
      'import "./shared.mjs";',
      "let hooks = 0;",
      "before(() => { hooks += 1; });",
      `test("${name} has its own hook", () => assert.equal(hooks, 1));`,
    ];
    writeFileSync(path, lines.join("\n"));
    return path;
  };
  const files = [write("one"), write("other")];
  const groups = writeTestGroups([{ folder: "tests", files }], folder);
  // Within a test run Node.js would take the files for a part of this one.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...groups], {
    env: environment,
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout);
  const names = [...stdout.matchAll(/^( *)# Subtest: (.*)$/gm)].map(([, indent, name]) => [indent?.length, name]);
  const [one, other] = files;
  assert.deepEqual(names, [
    [0, one],
    [4, "one has its own hook"],
    [0, other],
    [4, "other has its own hook"],
  ]);
});
