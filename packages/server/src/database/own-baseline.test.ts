import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { backUp } from "../backup/backup.ts";
import { restore } from "../backup/restore.ts";
import { parseConfig } from "../config/config.ts";
import { copyInstance } from "../copy/copy.ts";
import { checkDatabase } from "../doctor/check-database.ts";
import { withDatabase } from "../instance/with-database.ts";
import { startService } from "../service.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createDirectUrl, createTestDatabase, onPostgresAlone, onSqlite } from "../testing/test-database.ts";
import { systemClock } from "../time/clock.ts";
import { baselineHash } from "./baseline/baseline.ts";
import { type Database, openDatabase, openPostgres } from "./database.ts";
import { kindOf } from "./kind.ts";
import { migrate } from "./migrate.ts";
import { openSqlite, sqliteFile } from "./open-sqlite.ts";

/** An environment on an empty database of its own, which `fill` brings into its state. */
async function createPlace(t: TestContext, fill: (database: Database) => Promise<unknown>) {
  const folder = createTemporaryFolder(t);
  const environment: Record<string, string> = {
    ...(await createTestDatabase(t, folder)),
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_LOG_LEVEL: "silent",
    SEALPOST_SECRET: Buffer.alloc(32, 1).toString("base64"),
  };
  const config = parseConfig(environment);
  const database = openDatabase(config);
  await empty(database);
  await fill(database);
  await database.destroy();
  return { folder, config };
}

async function fillFolder(folder: string, fill: (database: Database) => Promise<unknown>): Promise<void> {
  const database = openSqlite(folder);
  await fill(database);
  await database.destroy();
}

async function empty(database: Database): Promise<void> {
  await sql`select 1`.execute(database);
  if (kindOf(database) === "sqlite") return;
  await sql`drop schema public cascade`.execute(database);
  await sql`create schema public`.execute(database);
}

/** The tables as an earlier commit made them: the first migration has the same name, and no hash is kept. */
async function makeEarlier(database: Database): Promise<void> {
  await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    database,
  );
  for (const name of ["0001-initial", "0002-retention"])
    await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(database);
  await sql`create table instance (key text primary key, value text not null)`.execute(database);
  await sql`create table account (id text primary key, email text not null)`.execute(database);
  await sql`insert into account (id, email) values ('acc_1', 'ada@example.com')`.execute(database);
}

const states = {
  "another hash": async (database: Database) => {
    await migrate(database);
    await sql`update baseline set hash = 'another'`.execute(database);
  },
  "the tables of an earlier commit": makeEarlier,
  "a newer version": async (database: Database) => {
    await migrate(database);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-newer', '2026-01-01T00:00:00.000Z')`.execute(
      database,
    );
  },
} satisfies Record<string, (database: Database) => Promise<void>>;

const sentences: Record<keyof typeof states, RegExp> = {
  "another hash":
    /has other tables than this program's \(its baseline is another, this program's is \w{12}\), so nothing was changed\. Run the version that made it, or begin with (an empty folder in SEALPOST_DATA|a new database in SEALPOST_DATABASE_URL)/,
  "the tables of an earlier commit":
    /has other tables than this program's \(it keeps no baseline, .+\), so nothing was changed\. Run the version/,
  "a newer version":
    /newer version of Sealpost was started on this database \(9999-newer\)|belongs to another version \(9999-newer\)/,
};

/** Every byte of a folder, and when each file was last written; or every table of a PostgreSQL database, with its rows. */
async function capture(folder: string, database?: Database): Promise<unknown> {
  if (database !== undefined) {
    const { rows: tables } = await sql<{ name: string }>`
      select oid, relname as name, relkind, relfilenode from pg_class where relnamespace = 'public'::regnamespace order by 1`.execute(
      database,
    );
    const { rows: columns } = await sql`
      select attrelid, attname, atttypid from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace order by 1, attnum`.execute(database);
    const { rows } = await sql`select *, xmin from kysely_migration order by name`.execute(database);
    return { tables, columns, rows };
  }
  return readdirSync(folder)
    .sort()
    .map((name) => [name, statSync(join(folder, name)).mtimeMs, hashFile(join(folder, name))]);
}

function hashFile(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

type Place = Awaited<ReturnType<typeof createPlace>>;

/** Whatever opens a database that is there. Each gives the sentence with which it refuses. */
const openers: Record<string, (t: TestContext, place: Place) => Promise<unknown>> = {
  serve: async (_, { config }) => (await startService({ config, clock: systemClock })).stop(),
  "account commands": (_, { config }) => withDatabase(config, async () => {}),
  backup: (t, { config }) => backUp({ config, to: createTemporaryFolder(t), now: 0, onProgress: () => {} }),
  doctor: async (_, { config }) => {
    const problem = (await checkDatabase(config, Date.now())).find((finding) => finding.level === "problem");
    assert.ok(problem?.level === "problem");
    throw new Error(`${problem.message}, so nothing was changed. ${problem.remedy}`);
  },
};

for (const [state, fill] of Object.entries(states)) {
  for (const [opener, open] of Object.entries(openers))
    test(`${opener} on a database with ${state} says what to do, and touches nothing`, async (t) => {
      const place = await createPlace(t, fill);
      // As in a folder that was served once: a newer version's is known by its migrations, which are read under the lock.
      if (state === "a newer version") writeFileSync(join(place.folder, "serving.lock"), "");
      const url = place.config.databaseUrl;
      const database = url === undefined ? undefined : openPostgres(url);
      closeAtEnd(t, async () => database?.destroy());
      const before = await capture(place.folder, database);
      await assert.rejects(open(t, place), sentences[state as keyof typeof states]); // its own keys
      assert.deepEqual(await capture(place.folder, database), before);
    });
}

test("an empty database gets this program's tables and hash, and the next start is on the same ones", async (t) => {
  const { config } = await createPlace(t, async () => {});
  for (const start of ["first", "second"]) {
    await (await startService({ config, clock: systemClock })).stop();
    const database = openDatabase(config);
    closeAtEnd(t, () => database.destroy());
    const { rows } = await sql`select hash from baseline`.execute(database);
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [{ hash: baselineHash(kindOf(database)) }],
      start,
    );
  }
});

test("nothing is moved out of the log that a killed process of an earlier commit left", onSqlite, async (t) => {
  const [folder, killed] = [createTemporaryFolder(t), createTemporaryFolder(t)];
  // A copy that is made while the database is open is what a kill leaves.
  await fillFolder(folder, async (database) => {
    await makeEarlier(database);
    for (const name of [sqliteFile, `${sqliteFile}-wal`]) copyFileSync(join(folder, name), join(killed, name));
  });
  const before = await capture(killed);
  assert.ok(statSync(join(killed, `${sqliteFile}-wal`)).size > 0);
  const config = parseConfig({ SEALPOST_DATA: killed, SEALPOST_SECRET: Buffer.alloc(32, 1).toString("base64") });
  await assert.rejects(startService({ config, clock: systemClock }), sentences["the tables of an earlier commit"]);
  // SQLite's memory next to the log: it holds no row.
  rmSync(join(killed, `${sqliteFile}-shm`), { force: true });
  assert.deepEqual(await capture(killed), before);
});

test(
  "a copy takes nothing from a folder of another baseline, and writes nothing to such a database",
  onPostgresAlone,
  async (t) => {
    const url = await createDirectUrl(t);
    const target = openPostgres(url);
    closeAtEnd(t, () => target.destroy());
    const copy = (fromFolder: string) => copyInstance({ fromFolder, toUrl: url, onProgress: () => {} });

    const other = createTemporaryFolder(t);
    await fillFolder(other, states["another hash"]);
    const before = [await capture(other), await capture(other, target)];
    await assert.rejects(copy(other), sentences["another hash"]);
    assert.deepEqual([await capture(other), await capture(other, target)], before);

    const own = createTemporaryFolder(t);
    const config = parseConfig({ SEALPOST_DATA: own, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
    await (await startService({ config, clock: systemClock })).stop();
    await sql`update baseline set hash = 'another'`.execute(target);
    const unchanged = [await capture(own), await capture(own, target)];
    await assert.rejects(copy(own), sentences["another hash"]);
    assert.deepEqual([await capture(own), await capture(own, target)], unchanged);
  },
);

test("a backup of another baseline is restored nowhere, and stays what it was", onSqlite, async (t) => {
  const [folder, copies, data] = [createTemporaryFolder(t), createTemporaryFolder(t), createTemporaryFolder(t)];
  const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
  await (await startService({ config, clock: systemClock })).stop();
  const { file } = await backUp({ config, to: copies, now: 0, onProgress: () => {} });
  const backup = new DatabaseSync(file);
  backup.exec("update baseline set hash = 'another'");
  backup.close();
  const before = await capture(copies);
  const options = {
    config: parseConfig({ SEALPOST_DATA: data }),
    secretFile: join(folder, "secret"),
    now: 0,
    onProgress: () => {},
  };
  await assert.rejects(
    restore({ ...options, from: file }),
    /has other tables than this program's \(its baseline is another, .+\), so nothing was changed\. Restore it with the version that made it$/,
  );
  assert.deepEqual([await capture(copies), readdirSync(data)], [before, []]);
});
