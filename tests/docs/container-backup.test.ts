import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { readBlocks } from "./blocks.ts";

/** The folder of the container is one of this machine, and `docker` runs in it what it is asked to. */
function runBlock(t: TestContext, meanwhile: string) {
  const [folder, data] = [createTemporaryFolder(t), join(createTemporaryFolder(t), "data")];
  mkdirSync(data);
  mkdirSync(join(folder, "programs"));
  const programs = {
    docker: 'while [ "$1" != sealpost ]; do shift; done\nshift\nIS_CONTAINER=1 exec "$@"',
    "sealpost-server": `echo first > ${data}/sealpost-1.backup; echo second > ${data}/sealpost-2.backup`,
    sha256sum: `${meanwhile}\nexec ${spawnSync("sh", ["-c", "command -v sha256sum"], { encoding: "utf8" }).stdout.trim()} "$@"`,
  };
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, "programs", name), `#!/bin/sh\nDATA=${data}\n${text}\n`, { mode: 0o700 });
  const block = readBlocks("docs/operation.md").find(({ text }) => /exec sealpost sealpost-server backup/.test(text));
  const { status } = spawnSync("sh", ["-c", `${block?.text.replaceAll("/data", data)}`], {
    cwd: folder,
    env: { PATH: `${join(folder, "programs")}:${process.env.PATH}` },
    encoding: "utf8",
  });
  return { status, left: readdirSync(data).sort(), copied: (name: string) => read(join(folder, "backups", name)) };
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

test("the backups that are copied out of the container are removed there, each once its copy is compared, and no other", (t) => {
  const usual = runBlock(t, "");
  assert.deepEqual([usual.status, usual.left], [0, []]);
  assert.deepEqual(
    [1, 2].map((number) => usual.copied(`sealpost-${number}.backup`)),
    ["first\n", "second\n"],
  );

  const isHost = '[ -z "$IS_CONTAINER" ]';
  const later = runBlock(t, `${isHost} && echo third > $DATA/sealpost-3.backup`);
  assert.deepEqual([later.status, later.left], [0, ["sealpost-3.backup"]], "one that was made during the comparison");

  const damaged = runBlock(t, `${isHost} && echo damaged > sealpost-2.backup`);
  assert.notEqual(damaged.status, 0);
  assert.deepEqual(damaged.left, ["sealpost-1.backup", "sealpost-2.backup"]);

  const failed = runBlock(t, `${isHost} || exit 1`);
  assert.notEqual(failed.status, 0);
  assert.deepEqual(failed.left, ["sealpost-1.backup", "sealpost-2.backup"], "nothing could be compared");

  const cutShort = runBlock(t, `${isHost} || set -- sealpost-1.backup`);
  assert.deepEqual([cutShort.status, cutShort.left], [0, ["sealpost-2.backup"]], "only the first was compared");
});
