import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { checkDatabase } from "../doctor/check-database.ts";
import { startService } from "../service.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { systemClock } from "../time/clock.ts";
import { backUp } from "./backup.ts";
import { restore } from "./restore.ts";

/** This program makes objects of these kinds, and no view. */
const ownTypes = ["table", "index", "trigger"];
const added = {
  table: "create table extra (x)",
  index: "create index extra on submission (received_at)",
  view: "create view extra as select * from submission",
  trigger: "create trigger extra after insert on session begin update account_holder set operator_since = 1; end",
};

/** Each kind of object, added, altered and removed: SQL, and the name in the sentence. */
function listAlterations(database: DatabaseSync): readonly (readonly [sql: string, name: string])[] {
  const some = database.prepare("select name from sqlite_schema where type = ? and sql is not null limit 1");
  return [
    ...Object.values(added).map((sql) => [sql, "extra"] as const),
    ...ownTypes.flatMap((type) => {
      const name = String(some.get(type)?.name);
      return [
        [`update sqlite_schema set sql = sql || ' ' where type = '${type}' and name = '${name}'`, name],
        [
          type === "table" ? "drop table quota_notice" : `drop ${type} ${name}`,
          type === "table" ? "quota_notice" : name,
        ],
      ] as const;
    }),
  ];
}

function alter(file: string, sql: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(`PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; ${sql}`);
  database.close();
}

async function createInstance(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
  await (await startService({ config, clock: systemClock })).stop();
  return { folder, config };
}

test(
  "a backup with a table, index, trigger or view added, altered or removed restores nothing, and the object is named",
  onSqlite,
  async (t) => {
    const { folder, config } = await createInstance(t);
    const [copies, data] = [createTemporaryFolder(t), createTemporaryFolder(t)];
    const { file } = await backUp({ config, to: join(copies, "own"), now: 0, onProgress: () => {} });
    const secretFile = join(folder, "secret");
    const run = (from: string) =>
      restore({ config: parseConfig({ SEALPOST_DATA: data }), secretFile, from, now: 0, onProgress: () => {} });
    const database = new DatabaseSync(file);
    const alterations = listAlterations(database);
    database.close();
    assert.equal(alterations.length, 10);
    for (const [index, [sql, name]] of alterations.entries()) {
      const altered = join(copies, String(index));
      copyFileSync(file, altered);
      alter(altered, sql);
      await assert.rejects(
        run(altered),
        new RegExp(`The backup was altered, and nothing was restored: .*"${name}"`),
        sql,
      );
      assert.deepEqual(readdirSync(data), ["serving.lock"], sql);
    }
    await run(file);
  },
);

test("a data folder with such an object does not start, and the doctor names it", onSqlite, async (t) => {
  const { folder, config } = await createInstance(t);
  const file = join(folder, "sealpost.sqlite");
  const database = new DatabaseSync(file);
  const alterations = listAlterations(database);
  database.close();
  const kept = join(createTemporaryFolder(t), "kept");
  copyFileSync(file, kept);
  for (const [sql, name] of alterations) {
    copyFileSync(kept, file);
    alter(file, sql);
    await assert.rejects(startService({ config, clock: systemClock }), new RegExp(`The database has .*"${name}"`), sql);
    const [finding] = await checkDatabase(config, Date.now());
    assert.equal(finding?.level, "problem", sql);
    assert.match(finding?.message ?? "", new RegExp(`"${name}"`));
  }
  copyFileSync(kept, file);
  alter(file, "analyze");
  await (await startService({ config, clock: systemClock })).stop();
});

test("a row of the instance out of shape ends a start with a sentence", onSqlite, async (t) => {
  const { folder, config } = await createInstance(t);
  for (const value of ["", "null", "{}", "[1]", '{"number":2,"check":"","state":"active","since":0}']) {
    alter(join(folder, "sealpost.sqlite"), `update instance set value = '${value}' where key = 'secret_key/0001'`);
    await assert.rejects(
      startService({ config, clock: systemClock }),
      /The row "secret_key\/0001" of the table instance is not as this program writes it/,
      value,
    );
  }
});
