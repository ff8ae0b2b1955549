import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { backUp } from "../backup/backup.ts";
import { type RestoreOptions, restore } from "../backup/restore.ts";
import { parseConfig } from "../config/config.ts";
import { copyInstance } from "../copy/copy.ts";
import { checkDatabase } from "../doctor/check-database.ts";
import { createForm, postPlain, silentWebhooks } from "../forms/testing/test-form.ts";
import { withDatabase } from "../instance/with-database.ts";
import { startService } from "../service.ts";
import { createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { systemClock } from "../time/clock.ts";
import { openDatabase } from "./database.ts";
import { logEndings, requireNothingInLog } from "./left-over-log.ts";
import { sqliteFile } from "./open-sqlite.ts";

const log = `${sqliteFile}-wal`;

/** An instance of which a process was killed: its newest submissions are in the log alone. With a backup from before they came. */
async function createKilled(t: TestScope) {
  const [live, killed] = [createTemporaryFolder(t), createTemporaryFolder(t)];
  const service = await createTestService(t, { folder: live, deliveries: silentWebhooks });
  const account = await service.signUp();
  const form = await createForm(account, { encryption: false });
  await postPlain(service, form);
  const options = { now: Date.now(), onProgress: () => {} };
  const { file } = await backUp({
    config: parseConfig({ SEALPOST_DATA: live }),
    to: createTemporaryFolder(t),
    ...options,
  });
  for (let count = 0; count < 3; count++) await postPlain(service, form);
  for (const name of [sqliteFile, log, `${sqliteFile}-shm`]) copyFileSync(join(live, name), join(killed, name));
  await service.stop();
  const secretFile = join(live, "secret");
  const restoring = (onProgress: RestoreOptions["onProgress"] = () => {}) =>
    restore({ config: parseConfig({ SEALPOST_DATA: killed }), from: file, secretFile, now: Date.now(), onProgress });
  return { killed, file, secretFile, restoring };
}

const capture = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== "serving.lock")
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "base64")]);

const count = (file: string) => {
  const database = new DatabaseSync(file);
  try {
    assert.deepEqual({ ...database.prepare("pragma integrity_check").get() }, { integrity_check: "ok" });
    return database.prepare("select count(*) as count from submission").get()?.count;
  } finally {
    database.close();
  }
};

const leftOvers: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(logEndings.map((ending) => [ending, [`${sqliteFile}${ending}`]])),
  "log and its memory": [log, `${sqliteFile}-shm`],
  "an empty database and a log": [sqliteFile, log],
};

for (const [left, names] of Object.entries(leftOvers))
  test(
    `what a database that was moved away has left is touched by nothing, and named: ${left}`,
    onSqlite,
    async (t) => {
      const folder = createTemporaryFolder(t);
      for (const name of names) writeFileSync(join(folder, name), name === sqliteFile ? "" : "the log of another");
      const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
      const [to, before] = [join(createTemporaryFolder(t), "one.backup"), capture(folder)];
      const options = { now: 0, onProgress: () => {} };
      const toUrl = "postgres://nobody@127.0.0.1:1/none";
      const places: Readonly<Record<string, () => unknown>> = {
        start: () => startService({ config, clock: systemClock }),
        "a command": () => withDatabase(config, async () => {}),
        open: async () => openDatabase(config),
        backup: () => backUp({ config, to, ...options }),
        copy: () => copyInstance({ fromFolder: folder, toUrl, ...options }),
      };
      for (const [place, look] of Object.entries(places)) {
        await assert.rejects(
          async () => look(),
          /^LeftOverLogError: In .+ there is .+ without the database, so nothing was changed\. .+ put it next to that/,
          place,
        );
        assert.deepEqual(capture(folder), before, place);
      }
      const [finding] = await checkDatabase(config, 0);
      assert.equal(finding?.level, "problem");
      assert.match(finding.message, /without the database/);
      assert.deepEqual(capture(folder), before, "doctor");
    },
  );

test("nothing is restored next to what another database has left, also if that came meanwhile", onSqlite, async (t) => {
  const { killed, restoring } = await createKilled(t);
  for (const name of readdirSync(killed)) rmSync(join(killed, name));
  for (const ending of logEndings) {
    const place = join(killed, `${sqliteFile}${ending}`);
    const leave = () => writeFileSync(place, "the log of another");
    for (const meanwhile of [false, true]) {
      if (!meanwhile) leave();
      await assert.rejects(restoring(meanwhile ? leave : undefined), /without the database, so nothing was changed/);
      assert.deepEqual(
        capture(killed),
        [[`${sqliteFile}${ending}`, Buffer.from("the log of another").toString("base64")]],
        `${ending}, meanwhile: ${meanwhile}`,
      );
      rmSync(place);
    }
  }
  await restoring();
  assert.equal(count(join(killed, sqliteFile)), 1);
});

test(
  "a database that is put aside as the messages say has all that was accepted, and so has the restored one",
  onSqlite,
  async (t) => {
    const { killed, restoring } = await createKilled(t);
    await assert.rejects(restoring(), /To put it aside, stop the service, and move all files whose names begin with/);
    renameSync(join(killed, sqliteFile), join(killed, "old"));
    await assert.rejects(restoring(), /\(sealpost\.sqlite\.old-wal next to sealpost\.sqlite\.old\)/);
    for (const ending of ["-wal", "-shm"])
      renameSync(join(killed, `${sqliteFile}${ending}`), join(killed, `old${ending}`));
    await restoring();
    assert.equal(count(join(killed, sqliteFile)), 1);
    assert.equal(count(join(killed, "old")), 4);
  },
);

test("a backup is the one file that was written, whatever lies next to it", onSqlite, async (t) => {
  const { killed, file, secretFile, restoring } = await createKilled(t);
  copyFileSync(join(killed, log), `${file}-wal`);
  for (const name of readdirSync(killed)) rmSync(join(killed, name));
  await restoring();
  assert.equal(count(join(killed, sqliteFile)), 1);
  copyFileSync(secretFile, join(killed, "secret"));
  const config = parseConfig({ SEALPOST_DATA: killed });
  rmSync(file);
  await assert.rejects(backUp({ config, to: file, now: 0, onProgress: () => {} }), /-wal is in the way/);
});

test("a file is not taken for the whole database while a part of it is in its log", onSqlite, (t) => {
  const file = join(createTemporaryFolder(t), "one");
  const [writer, reader] = [new DatabaseSync(file), new DatabaseSync(file)];
  writer.exec("pragma journal_mode = wal; create table one (value text)");
  reader.exec("begin; select * from one");
  writer.exec("insert into one values ('last')");
  writer.close();
  assert.throws(() => requireNothingInLog(file), /a part is left in its log/);
  reader.exec("commit");
  reader.close();
  requireNothingInLog(file);
});
