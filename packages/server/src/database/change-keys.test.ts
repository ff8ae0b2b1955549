import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { parseConfig } from "../config/config.ts";
import { checkDatabase } from "../doctor/check-database.ts";
import { closeAtEnd, createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { createDirectUrl, createTestDatabase, onPostgresAlone, openTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { changeKeys, lockKey } from "./change-keys.ts";
import { type Database, openPostgres } from "./database.ts";
import { formTables } from "./distributed-tables.ts";
import { listOldKeys } from "./key-worker.ts";
import { migrate, migrations } from "./migrate.ts";

const old = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0014"));

/** A database that an older version has filled, after this version's migrations; and its older processes still serve it. */
async function createOldDatabase(t: TestScope, url: string): Promise<Database> {
  const database = openPostgres(url);
  closeAtEnd(t, () => database.destroy());
  await sql`drop schema public cascade`.execute(database);
  await sql`create schema public`.execute(database);
  await migrate(database, old);
  await sql`
    insert into account_holder (id, name, email, email_verified, plan, created_at, updated_at)
    values ('acc_1', '', 'one@example.com', true, 'free', now(), now())`.execute(database);
  await sql`
    insert into submission (form_id, id, key_version, version, timestamp, received_at)
    select 'form_' || i % 7, 'sub_' || i, 1, 'plain1', 0, i from generate_series(1, 3000) i`.execute(database);
  await sql`
    insert into event (id, form_id, kind, occurred_at) select 'evt_' || i, 'form_' || i % 7, 'form.updated', i
    from generate_series(1, 3000) i`.execute(database);
  await sql`
    insert into delivery (id, event_id, form_id, is_test, state, attempts, created_at)
    select 'dlv_' || i, 'evt_' || i, 'form_' || i % 7, 0, 'waiting', 1, i from generate_series(1, 3000) i`.execute(
    database,
  );
  await sql`
    insert into delivery_queue (delivery_id, form_id, host, attempt, due_at, claims)
    select 'dlv_' || i, 'form_' || i % 7, 'receiver.example', 1, i, 0 from generate_series(1, 3000) i`.execute(
    database,
  );
  for (let i = 1; i <= 3000; i += 1000)
    await sql`
      insert into attempt (delivery_id, number, started_at, url, secret_used)
      select 'dlv_' || i, 1, i, 'https://receiver.example/', 'current' from generate_series(${sql.lit(i)}, ${sql.lit(i + 999)}) i`.execute(
      database,
    );
  await migrate(database);
  return database;
}

/** The statements of an older process, which knows no form of an attempt. */
async function workAsBefore(database: Database): Promise<void> {
  await sql`
    insert into attempt (delivery_id, number, started_at, url, secret_used)
    values ('dlv_1', 2, 0, 'https://receiver.example/', 'current')`.execute(database);
  const { numAffectedRows } = await sql`update event set wipe = 1 - wipe where id = 'evt_1'`.execute(database);
  assert.equal(numAffectedRows, 1n);
}

/** The indexes and keys of the tables, with their names. */
async function readShape(database: Database): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select c.relname, pg_get_indexdef(i.indexrelid) as index, i.indisprimary, i.indisvalid, k.conname
    from pg_index i join pg_class c on c.oid = i.indrelid left join pg_constraint k on k.conindid = i.indexrelid
    where c.relname = any(${[...formTables]}) order by 1, 2`.execute(database);
  return rows;
}

async function connect(t: TestScope, url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  closeAtEnd(t, async () => void client.connection.stream.destroy());
  return client;
}

const usual = { report: () => {}, isStopped: () => false, wait: async () => {} };

/** The backend that builds this index, once it waits for somebody who writes the table. */
async function waitForBuilder(database: Database, index: string): Promise<number> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_progress_create_index join pg_stat_activity using (pid)
      where index_relid = to_regclass(${index}) and wait_event_type = 'Lock'`.execute(database);
    if (rows[0] !== undefined) return rows[0].pid;
  }
}

test("each unique key of a submission's tables contains the form", onPostgresAlone, async (t) => {
  const database = await openTestDatabase(t, createTemporaryFolder(t));
  closeAtEnd(t, () => database.destroy());
  const list = (having: string) =>
    sql<{ index: string }>`
      select i.indexrelid::regclass::text as index from pg_index i
      where i.indisunique and i.indrelid = any(${[...formTables]}::regclass[]) and ${sql.raw(having)} (
        select 1 from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any(i.indkey) and a.attname = 'form_id')`.execute(
      database,
    );
  assert.deepEqual((await list("not exists")).rows, []);
  assert.ok((await list("exists")).rows.length >= formTables.length);
});

/** Ends a change of keys after each statement that changes something; of the batches of attempts, after the first four. */
async function changeKeysKilled(t: TestScope, url: string, onKilled: () => Promise<void>): Promise<readonly string[]> {
  const killed = new Error("killed");
  const steps: string[] = [];
  for (;;) {
    const client = await connect(t, url);
    const query = async (text: string, values?: unknown[]) => {
      const result = await client.query(text, values);
      const [step] = /^(create|alter|drop|update) .*/.exec(text.trim()) ?? [];
      if (step === undefined || steps.filter((one) => one === step).length >= 4) return result;
      steps.push(step);
      client.connection.stream.destroy();
      throw killed;
    };
    try {
      assert.equal(await changeKeys({ ...usual, client: { query: query as Client["query"] } }), true); // its first form
      return steps;
    } catch (error) {
      assert.equal(error, killed);
    }
    await onKilled();
  }
}

test(
  "keys are changed while an older version serves, killed after each step and begun again: the end is a new database's",
  onPostgresAlone,
  async (t) => {
    const fresh = await openTestDatabase(t, createTemporaryFolder(t));
    closeAtEnd(t, () => fresh.destroy());
    const url = await createDirectUrl(t);
    const database = await createOldDatabase(t, url);
    assert.equal((await listOldKeys(database)).length, 6);
    const steps = await changeKeysKilled(t, url, async () => {
      await workAsBefore(database);
      // Until the server has noticed that the one who held the lock is gone.
      await sql`select pg_advisory_lock(${sql.lit(lockKey)}), pg_advisory_unlock(${sql.lit(lockKey)})`.execute(
        database,
      );
    });
    const count = (start: string) => steps.filter((step) => step.startsWith(start)).length;
    assert.deepEqual(
      [count("update attempt"), count("create index"), count("create unique index"), count("alter table")],
      [4, 1, 6, 6],
    );
    assert.deepEqual(await listOldKeys(database), []);
    assert.deepEqual(await readShape(database), await readShape(fresh));
    await workAsBefore(database);
    const client = await connect(t, url);
    assert.equal(await changeKeys({ ...usual, client }), true);
    const { rows } = await sql`
      select 1 from attempt a join delivery d on d.id = a.delivery_id where a.form_id <> d.form_id`.execute(database);
    assert.deepEqual(rows, [], "also of what the older version wrote last");
  },
);

test("an index whose building was cut off is built again", onPostgresAlone, async (t) => {
  const url = await createDirectUrl(t);
  const database = await createOldDatabase(t, url);
  const isValid = async () => {
    const { rows } = await sql<{ indisvalid: boolean }>`
      select indisvalid from pg_index where indexrelid = to_regclass('event_primary')`.execute(database);
    return rows[0]?.indisvalid;
  };
  // It waits for anyone who is just writing.
  const writer = await connect(t, url);
  await writer.query("begin");
  await writer.query("update event set wipe = 1 where id = 'evt_7'");
  const building = changeKeys({ ...usual, client: await connect(t, url) });
  const failed = assert.rejects(building, /terminat/);
  const pid = await waitForBuilder(database, "event_primary");
  assert.equal(await isValid(), false);
  await sql`select pg_terminate_backend(${pid})`.execute(database);
  await failed;
  await writer.query("commit");
  assert.equal(await isValid(), false);
  assert.equal(await changeKeys({ ...usual, client: await connect(t, url) }), true);
  assert.deepEqual(await listOldKeys(database), []);
});

test(
  "a key of a table that is being read is left alone, and tried again; nobody waits long for it",
  onPostgresAlone,
  async (t) => {
    const url = await createDirectUrl(t);
    const database = await createOldDatabase(t, url);
    const reader = await connect(t, url);
    await reader.query("begin");
    await reader.query("select 1 from delivery limit 1");
    let waits = 0;
    const wait = async (milliseconds: number) => {
      // The batches of attempts wait for as long as they took.
      if (milliseconds !== 250 && milliseconds !== 500) return;
      waits += 1;
      await workAsBefore(database);
      if (waits === 2) await reader.query("commit");
    };
    assert.equal(await changeKeys({ ...usual, client: await connect(t, url), wait }), true);
    assert.ok(waits >= 2);
    assert.deepEqual(await listOldKeys(database), []);
  },
);

test("one process at a time changes keys", onPostgresAlone, async (t) => {
  const url = await createDirectUrl(t);
  const database = await createOldDatabase(t, url);
  const [one, other] = [await connect(t, url), await connect(t, url)];
  await one.query(`select pg_advisory_lock(${lockKey})`);
  assert.equal(await changeKeys({ ...usual, client: other }), false);
  assert.equal((await listOldKeys(database)).length, 6);
});

test(
  "a service serves while it changes the keys of an older version's database, and doctor says which are left",
  onPostgresAlone,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const environment = await createTestDatabase(t, folder);
    const url = environment.SEALPOST_DATABASE_DIRECT_URL ?? environment.SEALPOST_DATABASE_URL ?? "";
    const database = await createOldDatabase(t, url);
    const findLeft = async () => {
      const findings = await checkDatabase(parseConfig({ ...environment, SEALPOST_DATA: folder }), 0);
      return findings.find(({ message }) => message.startsWith("The keys of these tables"))?.message;
    };
    assert.match((await findLeft()) ?? "", /: submission, submission_bin, event, delivery, delivery_queue, attempt$/);
    const service = await createTestService(t, { folder });
    assert.equal((await service.request("GET", "/health/ready")).status, 200);
    while ((await listOldKeys(database)).length > 0) await workAsBefore(database);
    assert.equal(await findLeft(), undefined);
  },
);
