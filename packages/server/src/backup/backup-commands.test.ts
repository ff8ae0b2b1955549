import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onEither } from "../testing/test-database.ts";

test("a pattern that stands for several backups restores none, and the command says so", onEither, async (t) => {
  const folder = join(createTemporaryFolder(t), "data");
  const files = ["sealpost-1.backup", "sealpost-2.backup", "sealpost-3.backup"] as const;
  const { code, stdout, stderr } = await runCommand(["restore", "--from", ...files], { SEALPOST_DATA: folder });
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /^error: restore takes one file, and sealpost-1\.backup is followed by .*write the name of one\n/,
  );
  assert.ok(!existsSync(folder));
});
