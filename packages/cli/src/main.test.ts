import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";

test("the program runs as a process: its version, and an error with its exit code on standard error", async (t) => {
  const cwd = createTemporaryFolder(t);
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const expected = [
    [["--version"], 0, `${version}\n`, /^$/],
    [["forms", "list"], 3, "", /^sealpost: You are not signed in\. [^\n]+\n$/],
  ] as const;
  for (const [parameters, code, output, errors] of expected) {
    const main = join(import.meta.dirname, "main.ts");
    const child = spawn(process.execPath, ["--conditions=@sealpost/source", main, ...parameters], {
      cwd,
      env: { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: cwd },
    });
    const closed = new Promise((resolve) => child.on("close", resolve));
    const seen = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    assert.deepEqual([seen[0], seen[2]], [output, code]);
    assert.match(seen[1], errors);
  }
});

test("an output that can't be written ends the program with a sentence", {
  skip: process.platform !== "linux",
}, async () => {
  const main = join(import.meta.dirname, "main.ts");
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["--conditions=@sealpost/source", main, "--help"], {
    stdio: ["ignore", full, "pipe"],
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  const [errors, code] = [await text(child.stderr ?? assert.fail("it is a pipe")), await closed];
  closeSync(full);
  assert.match(errors, /^sealpost: The output can't be written: ENOSPC[^\n]*\n$/);
  assert.equal(code, 1);
});

test("a Node.js that is too old for the program is named, and nothing is loaded", async () => {
  const start = join(import.meta.dirname, "sealpost.ts");
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  const child = spawn(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(old)}`, start]);
  const closed = new Promise((resolve) => child.on("close", resolve));
  assert.match(await text(child.stderr), /^sealpost needs Node\.js 22 or newer, and this is Node\.js 20\.20\.2/);
  assert.equal(await closed, 2);
});
