import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { openInstance } from "../instance/instance.ts";
import { keyCheckOf } from "../instance/secret-box.ts";
import { loadSecrets, readSecrets, secretFileOf, takeSecretLock } from "../instance/secret-file.ts";
import { activateSecretKey, addWaitingSecretKey, listSecretKeys } from "../instance/secret-key-store.ts";
import { type CommandRun, runCommand } from "../testing/run-command.ts";
import { copySqliteTemplate } from "../testing/sqlite-template.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onPostgres, onSqlite, openTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createKeptForService } from "./kept-secret.ts";
import { dropFormerSecrets, rotateSecret } from "./secret-administration.ts";
import { continueRotation } from "./secret-rotation.ts";

const slowDisk = `--import=${pathToFileURL(join(import.meta.dirname, "testing/slow-disk.ts"))}`;
const quiet = { onStep: () => {}, onBatch: () => {} };

/** A secret command on a slow disk. */
const run = (folder: string, command: string) =>
  runCommand(["secret", command], { SEALPOST_DATA: folder, NODE_OPTIONS: slowDisk });

/** Two commands, the second so much later. */
async function runBoth(folder: string, [first, second]: readonly [string, string], milliseconds: number) {
  const begun = run(folder, first);
  await setTimeout(milliseconds);
  return Promise.all([begun, run(folder, second)]);
}

const refusal = /Another command is changing the secret|is still sealed with key/;

/** Each has done its work or says why not, and the file has the secret of every key that counts. */
async function requireWhole(database: Database, folder: string, runs: readonly CommandRun[]): Promise<void> {
  const said = runs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
  for (const { code, stderr } of runs) if (code !== 0) assert.match(stderr, refusal);
  assert.ok(
    runs.some(({ code }) => code === 0),
    said,
  );
  const checks = readSecrets(secretFileOf(folder)).map(keyCheckOf);
  const keys = await listSecretKeys(database);
  assert.equal(keys.filter(({ state }) => state === "active").length, 1, said);
  for (const { state, check, number } of keys)
    if (state !== "dropped")
      assert.ok(checks.includes(check), `key ${number}, which is ${state}, is in no file:\n${said}`);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith(".new")),
    [],
    said,
  );
}

/** An instance with something sealed, whose secret was changed once already, so that there is one to drop. */
async function createChanged(t: TestContext) {
  const folder = createTemporaryFolder(t);
  await copySqliteTemplate(folder);
  const database = await openTestDatabase(t, folder);
  const config = parseConfig({ SEALPOST_DATA: folder });
  const { secretBox } = await openInstance(database, loadSecrets(undefined, folder), Date.now());
  const details = JSON.stringify({ token: secretBox.sealer("mail").seal("what was sealed", "mail/kept") });
  const times = { created_at: 0, expires_at: Date.now() + 86_400_000, due_at: Date.now() + 86_400_000, attempts: 0 };
  await database
    .insertInto("mail")
    .values({ id: "kept", kind: "keys_rotated", account_id: "acc", details, ...times })
    .execute();
  await rotateSecret(config, quiet);
  return { folder, database, config };
}

/** With the secrets that a start would have. */
async function requireOpen(database: Database, folder: string): Promise<void> {
  const { secretBox } = await openInstance(database, loadSecrets(undefined, folder), Date.now());
  const { details } = await database
    .selectFrom("mail")
    .select("details")
    .where("id", "=", "kept")
    .executeTakeFirstOrThrow();
  assert.equal(secretBox.sealer("mail").open(JSON.parse(details).token, "mail/kept"), "what was sealed");
}

for (const state of ["stopped", "running"] as const)
  for (const commands of [
    ["rotate", "rotate"],
    ["drop", "rotate"],
  ] as const)
    test(
      `${commands.join(" and ")} at once while the service is ${state}: the service starts and opens what was sealed`,
      onSqlite,
      async (t) => {
        for (const milliseconds of [0, 200]) {
          const { folder, database, config } = await createChanged(t);
          // Where nothing is to be dropped a rotation begins at once.
          if (commands[0] === "rotate") await dropFormerSecrets(config);
          const service =
            state === "running" ? await createTestService(t, { folder, secretMilliseconds: 20 }) : undefined;
          const runs = await runBoth(folder, commands, milliseconds);
          await requireWhole(database, folder, runs);
          await requireOpen(database, folder);
          const ready = await service?.request("GET", "/health/ready");
          if (ready !== undefined) assert.equal(ready.status, 200, JSON.stringify(ready.body));
          await service?.stop();
          const again = await createTestService(t, { folder });
          await again.stop();
          await requireOpen(database, folder);
        }
      },
    );

test("first starts at once make one secret, with which the database is sealed", onSqlite, async (t) => {
  for (const milliseconds of [0, 150]) {
    const folder = createTemporaryFolder(t);
    const runs = await runBoth(folder, ["status", "status"], milliseconds);
    // The second one may meet the first in the middle of making the tables, and be run again.
    for (const { code, stderr } of runs) assert.ok(code === 0 || stderr.includes("database is locked"), stderr);
    assert.ok(runs.some(({ code }) => code === 0));
    const { code, stderr } = await run(folder, "status");
    assert.equal(code, 0, `${milliseconds} ms: ${stderr}`);
  }
});

test("a file that is gone, empty or no secret stops each command, which changes nothing", onSqlite, async (t) => {
  const { folder, database, config } = await createChanged(t);
  const file = secretFileOf(folder);
  const keys = await listSecretKeys(database);
  for (const content of [undefined, "", "canary\n", Buffer.alloc(32, 7).toString("base64")]) {
    if (content === undefined) rmSync(file);
    else writeFileSync(file, content);
    for (const change of [() => rotateSecret(config, quiet), () => dropFormerSecrets(config)])
      await assert.rejects(change(), /is not a secret|is missing|lacks the (former )?secret/);
    assert.equal(existsSync(file) ? readFileSync(file, "utf8") : undefined, content);
    assert.deepEqual(await listSecretKeys(database), keys);
  }
});

test("a service seals nothing with a secret that it has in memory and the file has no more", onSqlite, async (t) => {
  const { folder, database, config } = await createChanged(t);
  await dropFormerSecrets(config);
  const secrets = loadSecrets(undefined, folder);
  const { secretBox } = await openInstance(database, secrets, Date.now());
  const next = randomBytes(32);
  await addWaitingSecretKey(database, keyCheckOf(next), Date.now());
  const step = () => continueRotation({ database, secretBox, now: Date.now, whileKept: createKeptForService(config) });
  await assert.rejects(step(), /lacks the secret of key 3 .*, so nothing was changed/);
  const lock = takeSecretLock(folder);
  assert.equal((await step()).step, "elsewhere", "while a command changes the file");
  lock?.write([next, ...secrets]);
  lock?.release();
  assert.equal((await step()).step, "activated");
});

test("a service that can't read the file says that it lacks the new secret, and is waited for", onSqlite, async (t) => {
  const { folder, database, config } = await createChanged(t);
  await dropFormerSecrets(config);
  const service = await createTestService(t, { folder, secretMilliseconds: 20 });
  const [secret, next] = [readFileSync(secretFileOf(folder), "utf8"), randomBytes(32)];
  writeFileSync(secretFileOf(folder), "");
  await addWaitingSecretKey(database, keyCheckOf(next), Date.now());
  await setTimeout(200);
  const secrets = [next, Buffer.from(secret, "base64")];
  const { secretBox } = await openInstance(database, secrets, Date.now());
  const later = () => Date.now() + 25_000;
  const step = await continueRotation({ database, secretBox, now: later, whileKept: (_key, work) => work() });
  assert.ok(step.step === "spreading" && step.lacking.length === 1, JSON.stringify(step));
  assert.equal((await service.request("GET", "/health/ready")).status, 200);
});

test("what a writer left that was killed goes with the next command, and nothing else", onSqlite, async (t) => {
  const { folder, config } = await createChanged(t);
  const left = join(folder, "secret.0b5ba2ee-5bd9-4a4e-8f8e-3a1d1f7d7e11.new");
  for (const file of [left, join(folder, "secret.new"), join(folder, "secret.old")]) writeFileSync(file, "");
  chmodSync(left, 0o400);
  await dropFormerSecrets(config);
  assert.deepEqual(
    [left, join(folder, "secret.new"), join(folder, "secret.old")].map((file) => existsSync(file)),
    [false, true, true],
  );
});

test(
  "of a rotation that another takes the place of, neither the former nor a secret that nobody asked about is used",
  onPostgres,
  async (t) => {
    const database = await openMigratedDatabase(t);
    await openInstance(database, [randomBytes(32)], Date.now());
    for (let round = 0; round < 40; round++) {
      const [one, other] = [randomBytes(32), randomBytes(32)].map(keyCheckOf);
      assert.ok(one !== undefined && other !== undefined);
      await addWaitingSecretKey(database, one, Date.now());
      const number = (await listSecretKeys(database)).at(-1)?.number ?? 0;
      const [isActive, isWaiting] = await Promise.all([
        activateSecretKey(database, { number, check: one }, Date.now()),
        addWaitingSecretKey(database, other, Date.now()),
      ]);
      const keys = await listSecretKeys(database);
      const active = keys.filter(({ state }) => state === "active");
      assert.equal(active.length, 1, `round ${round}: ${JSON.stringify(keys)}`);
      assert.equal(active[0]?.check === one, isActive);
      assert.equal(
        keys.some(({ check, state }) => check === other && state === "waiting"),
        isWaiting,
      );
    }
  },
);
