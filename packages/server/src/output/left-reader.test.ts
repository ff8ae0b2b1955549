import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { passwordLengthMin } from "../authentication/account-input.ts";
import { runCommand } from "../testing/run-command.ts";
import { serverProgram } from "../testing/server-program.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";

const email = "owner@example.com";
const input = "correct horse battery\n";

async function createInstance(folder: string) {
  const made = await runCommand(["account", "create", "--email", email], { SEALPOST_DATA: folder }, { input });
  assert.equal(made.code, 0, made.stderr);
}

test("a command whose reader has left does its work, says nothing and ends with 0", onSqlite, async (t) => {
  const folder = createTemporaryFolder(t);
  await createInstance(folder);
  for (const parameters of [
    ["account", "list"],
    ["secret", "rotate"],
    ["secret", "drop"],
  ]) {
    const child = spawn(process.execPath, [...serverProgram, ...parameters], {
      env: { PATH: process.env.PATH, SEALPOST_DATA: folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    const said = text(child.stderr);
    const [code] = await once(child, "close");
    assert.deepEqual([code, await said], [0, ""], parameters.join(" "));
  }
  const { stdout } = await runCommand(["secret", "status"], { SEALPOST_DATA: folder });
  assert.match(stdout, /key 1 .+ dropped(.|\n)+key 2 .+ everything new is sealed with it/);
});

test("a command whose output has no room says so, and ends with 1 after its work", {
  skip: !existsSync("/dev/full") && "there is no /dev/full here",
}, async (t) => {
  const folder = createTemporaryFolder(t);
  await createInstance(folder);
  const { status, stderr } = spawnSync(process.execPath, [...serverProgram, "secret", "rotate"], {
    env: { PATH: process.env.PATH, SEALPOST_DATA: folder },
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    encoding: "utf8",
  });
  assert.deepEqual([status, stderr.split("\n").length], [1, 2], stderr);
  assert.match(stderr, /^The output can't be written, but the command continues: .*ENOSPC/);
  const { stdout } = await runCommand(["secret", "status"], { SEALPOST_DATA: folder });
  assert.match(stdout, /key 2 .+ everything new is sealed with it/);
});

test("a byte order mark before a password on standard input is no part of it", onSqlite, async (t) => {
  const [folder, marked] = [createTemporaryFolder(t), createTemporaryFolder(t)];
  const short = "q7vk2-mzr".slice(0, passwordLengthMin - 1);
  const create = (text: string, where: string) =>
    runCommand(["account", "create", "--email", email], { SEALPOST_DATA: where }, { input: text });
  assert.notEqual((await create(`${short}\n`, folder)).code, 0);
  assert.notEqual((await create(`\uFEFF${short}\n`, marked)).code, 0);
  assert.equal((await create(`\uFEFF${short}w\n`, marked)).code, 0);
});
