import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { runCommand } from "../../packages/server/src/testing/run-command.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { startServiceProcess } from "../support/service-process.ts";

/** A backup, with its secret. */
async function createBackup(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const service = await startServiceProcess({ SEALPOST_DATA: folder, SEALPOST_PORT: "0" });
  await service.kill();
  const file = join(folder, "own.backup");
  const made = await runCommand(["backup", "--to", file], { SEALPOST_DATA: folder });
  assert.equal(made.code, 0, made.stderr);
  return ["restore", "--from", file, "--secret-file", join(folder, "secret")];
}

test("a start that has no room leaves nothing that a restore takes for an instance, however far it came", {
  skip: !existsSync("/bin/sh") && "needs a shell that limits files",
}, async (t) => {
  const restore = await createBackup(t);
  let failed = 0;
  // In blocks of 512 bytes: no byte, the first page, some tables, almost all.
  for (const blocks of [0, 1, 8, 16, 24, 64, 256, 1024, 2048]) {
    const folder = join(createTemporaryFolder(t), "data");
    mkdirSync(folder, { mode: 0o700 });
    const environment = { SEALPOST_DATA: folder, SEALPOST_PORT: "0" };
    const wrapper = ["sh", "-c", `ulimit -f ${blocks} && exec "$0" "$@"`];
    const isStarted = await startServiceProcess(environment, [], { wrapper }).then(
      (service) => service.kill().then(() => true),
      () => false,
    );
    if (isStarted) continue;
    failed += 1;
    assert.deepEqual(
      readdirSync(folder).filter((name) => /^(sealpost|secret)/.test(name) && name !== "secret.lock"),
      [],
      `${blocks} blocks`,
    );
    const { code, stderr } = await runCommand(restore, environment);
    assert.equal(code, 0, `${blocks} blocks: ${stderr}`);
  }
  assert.ok(failed >= 4, `a control: ${failed} starts failed`);
});

const beginnings: Readonly<Record<string, (database: DatabaseSync) => void>> = {
  "a database without a table": (database) => database.exec("pragma user_version = 1"),
  "the tables of migrations alone": (database) =>
    database.exec("create table kysely_migration (name text); create table kysely_migration_lock (id text)"),
  "tables without an instance": (database) => database.exec("create table instance (key text, value text)"),
};

test("a restore takes the place of a database that no start has completed, and of no other", async (t) => {
  const restore = await createBackup(t);
  const tryRestore = async (make: (place: string) => void) => {
    const folder = createTemporaryFolder(t);
    make(join(folder, "sealpost.sqlite"));
    return runCommand(restore, { SEALPOST_DATA: folder });
  };
  const empty = await tryRestore((place) => writeFileSync(place, ""));
  assert.equal(empty.code, 0, empty.stderr);
  const made = (write: (database: DatabaseSync) => void) => (place: string) => {
    const database = new DatabaseSync(place);
    write(database);
    database.close();
  };
  for (const [what, write] of Object.entries(beginnings)) {
    const { code, stderr } = await tryRestore(made(write));
    assert.equal(code, 0, `${what}: ${stderr}`);
  }
  for (const write of [
    "create table instance (key text, value text); insert into instance values ('id', 'x')",
    "create table other (a)",
  ]) {
    const { code, stderr } = await tryRestore(made((database) => database.exec(write)));
    assert.deepEqual([code, /There is a database in .+ already/.test(stderr)], [1, true], stderr);
  }
  const text = await tryRestore((place) => writeFileSync(place, "not a database ".repeat(1000)));
  assert.equal(text.code, 1);
});
