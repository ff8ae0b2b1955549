import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { startService } from "../../packages/server/src/service.ts";
import { runCommand } from "../../packages/server/src/testing/run-command.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { startServiceProcess } from "../support/service-process.ts";

/** Why a start on this data folder fails; what an operator reads. */
async function failToStart(folder: string): Promise<string> {
  const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
  const failure = await startService({ config, clock: systemClock }).then(
    (service) => service.stop().then(() => assert.fail("it started")),
    (error: Error) => error.message,
  );
  assert.match(failure, /^[^\n]+$/, "one line");
  assert.ok(failure.includes(folder), failure);
  return failure;
}

test("what is no folder, or lies below none, is said to be none, with what to do about it", async (t) => {
  const file = join(createTemporaryFolder(t), "file");
  writeFileSync(file, "");
  for (const folder of [file, join(file, "data"), join(file, "data", "deeper")]) {
    const wanted = `The data folder cannot be ${folder}, because ${file} is not a folder: move it away, or name another folder with SEALPOST_DATA`;
    assert.equal(await failToStart(folder), wanted);
  }
  assert.equal(statSync(file).size, 0);
  const { code, stdout, stderr } = await runCommand(["serve"], { SEALPOST_DATA: join(file, "data") });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^The data folder cannot be .+ name another folder with SEALPOST_DATA\n$/);
});

test("where nobody can make a folder, root neither, the start ends and says so", {
  skip: !existsSync("/proc/self") && "needs the /proc of Linux",
}, async () => {
  assert.equal(
    await failToStart("/proc/sealpost/data"),
    "The data folder /proc/sealpost/data cannot be made, because the system refuses /proc/sealpost: name another folder with SEALPOST_DATA",
  );
});

test("a folder in the place of a file, and a file that is not a database, get different messages", async (t) => {
  const folder = createTemporaryFolder(t);
  mkdirSync(join(folder, "secret"));
  assert.match(await failToStart(folder), /^A folder is where a file of the service should be: move it away/);
  const damaged = createTemporaryFolder(t);
  const content = "This is not a database. ".repeat(1000);
  writeFileSync(join(damaged, "sealpost.sqlite"), content, { mode: 0o600 });
  writeFileSync(join(damaged, "secret"), Buffer.alloc(32).toString("base64"));
  assert.match(await failToStart(damaged), /^The database in .+ is damaged .+ restore a backup/);
  assert.equal(statSync(join(damaged, "sealpost.sqlite")).size, content.length, "and nothing was changed");
});

test("a folder or a file that this user may not write is named, with what to do about it", {
  skip: process.getuid?.() === 0 && "root may write everything",
}, async (t) => {
  for (const [name, mode] of [
    [".", 0o500],
    [".", 0o000],
    ["sealpost.sqlite", 0o400],
    ["serving.lock", 0o400],
  ] as const) {
    const folder = createTemporaryFolder(t);
    writeFileSync(join(folder, "secret"), Buffer.alloc(32).toString("base64"));
    if (name !== ".") writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), mode);
    assert.match(await failToStart(folder), /may not use|cannot be written by this user/);
    chmodSync(join(folder, name), 0o700);
  }
});

test("a data folder on a file system that is mounted read-only is refused in one line and with 1, to root too", {
  skip:
    spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status !== 0 &&
    "needs a Linux that lets this user mount",
}, async (t) => {
  const folder = createTemporaryFolder(t);
  const environment = { SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" };
  await (await startService({ config: parseConfig(environment), clock: systemClock })).stop();
  const wrapper = [
    ...["unshare", "-rm", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'],
    folder,
  ];
  const ended = await startServiceProcess(environment, [], { wrapper }).then(
    () => assert.fail("it started"),
    (error: Error) => error.message,
  );
  const wanted = `The data folder ${folder} is read-only: mount its file system for writing, or name another folder with SEALPOST_DATA`;
  assert.equal(ended, `The service ended with 1 before it was ready:\n${wanted}\n`);
});
