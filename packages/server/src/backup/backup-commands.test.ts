import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { startService } from "../service.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onEither, onSqlite } from "../testing/test-database.ts";
import { systemClock } from "../time/clock.ts";
import { backUp } from "./backup.ts";
import { restore } from "./restore.ts";
import { explainTargetFailure } from "./target-failure.ts";

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

async function createInstance(folder: string) {
  const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
  await (await startService({ config, clock: systemClock })).stop();
  return config;
}

const isRoot = process.getuid?.() === 0;
const onProgress = () => {};

test(
  "a backup into a folder that is absent, no folder or not ours is one sentence with what to do, and leaves nothing",
  onSqlite,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const config = await createInstance(join(folder, "data"));
    writeFileSync(join(folder, "file"), "");
    const fail = (to: string) =>
      backUp({ config, to, now: 0, onProgress }).then(
        () => assert.fail("it was written"),
        (error: Error) => error.message,
      );
    const absent = join(folder, "absent");
    assert.equal(
      await fail(join(absent, "one.backup")),
      `There is no folder ${absent} for the backup: make it (mkdir -p -m 700 ${absent}), or name another with --to`,
    );
    assert.match(await fail(join(folder, "file", "one.backup")), /which is not a folder: name another with --to$/);
    if (!isRoot) {
      const closed = createTemporaryFolder(t);
      chmodSync(closed, 0o500);
      assert.match(await fail(closed), /^This user may not write into .+ --to$/);
      chmodSync(closed, 0o700);
    }
    assert.deepEqual(readdirSync(folder).sort(), ["data", "file"]);
  },
);

test("between batches a backup lets signals be heard", onSqlite, async (t) => {
  const folder = createTemporaryFolder(t);
  const config = await createInstance(join(folder, "data"));
  let turns = 0;
  let isRunning = true;
  const count = (): void => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const between: number[] = [];
  let begun = 0;
  await backUp({
    config,
    to: folder,
    now: 0,
    onProgress: ({ step, rows, total }) => {
      if (step !== "reading" || total === 0) return;
      if (rows === 0) begun = turns;
      else if (rows === total) between.push(turns - begun);
    },
  });
  isRunning = false;
  assert.ok(between.length > 0 && between.every((passed) => passed > 0), String(between));
});

test("whatever else keeps a backup from being written is named, and errors of other files stay what they are", () => {
  const issue = (members: object) => Object.assign(new Error("raw"), members);
  const explain = (members: object) => String(explainTargetFailure(issue(members), "/backups/one"));
  for (const code of ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"])
    assert.match(explain({ code, path: "/backups/one.part" }), /Error: [A-Z].+ \/backups.+ --to$/, code);
  assert.match(explain({ errcode: 13 }), /no room for the backup in \/backups/);
  assert.match(explain({ code: "EACCES", path: "/data/two", dest: "/backups/one" }), /may not write into \/backups/);
  for (const members of [
    { code: "EACCES", path: "/data/secret" },
    { errcode: 11 },
    { code: "EIO", path: "/backups/one" },
  ])
    assert.equal(explain(members), "Error: raw");
});

test(
  "a restore and an account command say of a data folder that cannot be used what to do about it",
  onSqlite,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const config = await createInstance(join(folder, "data"));
    const { file } = await backUp({ config, to: folder, now: 0, onProgress });
    writeFileSync(join(folder, "file"), "");
    const dataFolder = join(folder, "file", "data");
    const wanted = `The data folder cannot be ${dataFolder}, because ${join(folder, "file")} is not a folder: move it away, or name another folder with SEALPOST_DATA`;
    const restoreFrom = (from: string) =>
      restore({ config: { ...config, dataFolder }, from, secretFile: undefined, now: Date.now(), onProgress });
    await assert.rejects(restoreFrom(file), { message: wanted });
    await assert.rejects(restoreFrom(folder), { message: `${folder} is a folder: write the name of a file` });
    const { code, stderr } = await runCommand(["account", "set-plan", "--email", "a@example.com", "--plan", "pro"], {
      SEALPOST_DATA: dataFolder,
    });
    assert.deepEqual([code, stderr], [1, `${wanted}\n`]);
  },
);
