import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Kysely, sql } from "kysely";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { takeServingLock } from "./serving-lock.ts";
import { createSqliteDialect } from "./sqlite.ts";

const onLinux = {
  skip: onSqlite.skip || (!existsSync("/proc/locks") && "the locks of a process are read from /proc"),
};

/** Whether this process has a lock on a file by which SQLite of another sees that the file is in use. */
function isLocked(file: string): boolean {
  const { ino } = statSync(file);
  const lines = readFileSync("/proc/locks", "utf8").split("\n");
  return lines.some((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `));
}

async function open(t: TestContext, file: string) {
  const database = new Kysely({ dialect: createSqliteDialect(file) });
  t.after(() => database.destroy());
  await sql`create table if not exists t (a)`.execute(database);
  return database;
}

test(
  "another connection of the process, opened or closed, gives up no lock by which programs know that a database is in use",
  onLinux,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const file = join(folder, "sealpost.sqlite");
    const unlocked = () =>
      readdirSync(folder).filter((name) => name.endsWith("sqlite") && !isLocked(join(folder, name)));
    await open(t, file);
    assert.deepEqual(unlocked(), []);
    // As the thread that writes does.
    const other = await open(t, file);
    assert.deepEqual(unlocked(), []);
    await other.destroy();
    assert.deepEqual(unlocked(), []);
  },
);

test("the lock of a data folder outlives an attempt of the same process to take it again", onLinux, (t) => {
  const folder = createTemporaryFolder(t);
  const lock = takeServingLock(folder);
  t.after(() => lock.release());
  assert.throws(() => takeServingLock(folder), /is in use/);
  assert.ok(isLocked(join(folder, "serving.lock")));
});
