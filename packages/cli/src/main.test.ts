import assert from "node:assert/strict";
import { spawn } from "node:child_process";
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
