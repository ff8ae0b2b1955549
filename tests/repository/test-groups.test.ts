import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { type TestGroup, writeTestGroups } from "../../scripts/test-groups.ts";

function run(groups: readonly TestGroup[], folder: string) {
  // Within a test run Node.js would take the files for a part of this one.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...writeTestGroups(groups, folder)], {
    env: environment,
    encoding: "utf8",
  });
}

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
  const [one, other] = [write("one"), write("other")];
  const { stdout, status } = run([{ folder: "tests", files: [one, other], database: "SQLite", settings: {} }], folder);
  assert.equal(status, 0, stdout);
  const names = [...stdout.matchAll(/^( *)# Subtest: (.*)$/gm)].map(([, indent, name]) => [indent?.length, name]);
  assert.deepEqual(names, [
    [0, `${one} (SQLite)`],
    [4, "one has its own hook"],
    [0, `${other} (SQLite)`],
    [4, "other has its own hook"],
  ]);
});

test("each group runs by the settings of its database, known before its files are loaded", (t) => {
  const folder = createTemporaryFolder(t);
  const file = join(folder, "setting.test.mjs");
  const lines = [
    'import { test } from "node:test";',
    "const { SEALPOST_TEST_GROUP: group } = process.env;",
    'test("set to " + group, () => {});',
  ];
  writeFileSync(file, lines.join("\n"));
  const groups = ["one", "other"].map((database) => {
    return { folder: "tests", files: [file], database, settings: { SEALPOST_TEST_GROUP: database } };
  });
  const { stdout, status } = run(groups, folder);
  assert.equal(status, 0, stdout);
  assert.deepEqual(
    stdout
      .match(/set to \w+$/gm)
      ?.slice()
      .sort(),
    ["set to one", "set to one", "set to other", "set to other"],
  );
});

test("an error that nobody caught fails the file that was running, and is shown with its test and its stack", (t) => {
  const folder = createTemporaryFolder(t);
  const other = join(folder, "other.test.mjs");
  writeFileSync(other, 'import { test } from "node:test"; test("has nothing to do with it", () => {});');
  for (const thrown of [
    "setTimeout(function late() { throw new Error('nobody catches this'); })",
    "void (async function late() { throw new Error('nobody catches this'); })()",
  ]) {
    const file = join(folder, "throws.test.mjs");
    // Over when the error has been heard.
    const waits = `new Promise((resolve) => ["uncaughtExceptionMonitor", "unhandledRejection"].forEach((event) => process.once(event, resolve)))`;
    writeFileSync(
      file,
      `import { test } from "node:test"; test("throws late", async () => { ${thrown}; await ${waits}; });`,
    );
    const { stdout, status } = run(
      [{ folder: "tests", files: [other, file, other], database: "SQLite", settings: {} }],
      folder,
    );
    assert.equal(status, 1, stdout);
    assert.match(stdout, /during .*\bthrows\.test\.mjs \(SQLite\): throws late Error: nobody catches this/);
    assert.match(stdout, /^# +at .*\blate .*throws\.test\.mjs/m);
    const files = [...stdout.matchAll(/^((?:not )?ok) \d+ - .*\b(\w+)\.test\.mjs \(SQLite\)$/gm)];
    assert.deepEqual(
      files.map(([, outcome, name]) => [name, outcome]),
      [
        ["other", "ok"],
        ["throws", "not ok"],
        ["other", "ok"],
      ],
    );
  }
});

test("once its tests are registered a group follows no promise, for that takes a sixth of the time", (t) => {
  const folder = createTemporaryFolder(t);
  const file = join(folder, "followed.test.mjs");
  const lines = [
    'import assert from "node:assert/strict";',
    'import { executionAsyncId } from "node:async_hooks";',
    'import { test } from "node:test";',
    "const followed = async () => { await undefined; return executionAsyncId() !== 0; };",
    "const atFirst = await followed();",
    'test("followed at first, and not any more", async () => assert.deepEqual([atFirst, await followed()], [true, false]));',
  ];
  writeFileSync(file, lines.join("\n"));
  const { stdout, status } = run([{ folder: "tests", files: [file], database: "SQLite", settings: {} }], folder);
  assert.equal(status, 0, stdout);
});
