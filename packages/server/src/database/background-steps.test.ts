import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { closeAtEnd, type TestScope } from "../testing/temporary-folder.ts";
import { createDirectUrl, onPostgresAlone } from "../testing/test-database.ts";
import { type BackgroundStep, lockKey, runBackgroundSteps } from "./background-steps.ts";
import { listStepsLeft } from "./background-worker.ts";
import { type Database, openPostgres } from "./database.ts";

const steps: readonly BackgroundStep[] = [
  { kind: "fill", table: "made_up", by: "id", left: "day is null", set: "day = at / 10" },
  { kind: "index", name: "made_up_day", on: "made_up (day)" },
  { kind: "key", table: "made_up", name: "made_up_of_form", columns: "form_id, id" },
];

/** A table of 3,000 rows that a made-up migration has given a column. */
async function createTable(t: TestScope): Promise<{ url: string; database: Database }> {
  const url = await createDirectUrl(t);
  const database = openPostgres(url);
  closeAtEnd(t, () => database.destroy());
  await sql`create table made_up (id bigserial primary key, form_id text not null, at bigint not null, day bigint)`.execute(
    database,
  );
  await sql`insert into made_up (form_id, at) select 'form_' || i % 7, i from generate_series(1, 3000) i`.execute(
    database,
  );
  return { url, database };
}

/** The statements of a process of the version before, which does not know the column. */
async function workAsBefore(database: Database): Promise<void> {
  await sql`insert into made_up (form_id, at) values ('form_1', 7000)`.execute(database);
  const { numAffectedRows } = await sql`update made_up set at = at where id = 1`.execute(database);
  assert.equal(numAffectedRows, 1n);
}

async function connect(t: TestScope, url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  closeAtEnd(t, async () => void client.connection.stream.destroy());
  return client;
}

const usual = { steps, report: () => {}, isStopped: () => false, wait: async () => {} };

async function assertDone(database: Database): Promise<void> {
  assert.deepEqual(await listStepsLeft(database, steps), []);
  const { rows } = await sql`select 1 from made_up where day is distinct from at / 10`.execute(database);
  assert.deepEqual(rows, []);
}

test(
  "steps are killed after each statement and begun again while the version before serves: the end is whole",
  onPostgresAlone,
  async (t) => {
    const { url, database } = await createTable(t);
    const killed = new Error("killed");
    const done: string[] = [];
    for (let isOver = false; !isOver; ) {
      const client = await connect(t, url);
      const query = async (text: string, values?: unknown[]) => {
        const result = await client.query(text, values);
        const [step] = /^(create|alter|drop|update) .*/.exec(text.trim()) ?? [];
        if (step === undefined || done.filter((one) => one === step).length >= 4) return result;
        done.push(step);
        client.connection.stream.destroy();
        throw killed;
      };
      try {
        isOver = await runBackgroundSteps({ ...usual, client: { query: query as Client["query"] } }); // its first form
      } catch (error) {
        assert.equal(error, killed);
        await workAsBefore(database);
        // Until the server has noticed that the one who held the lock is gone.
        await sql`select pg_advisory_lock(${sql.lit(lockKey)}), pg_advisory_unlock(${sql.lit(lockKey)})`.execute(
          database,
        );
      }
    }
    const count = (start: string) => done.filter((step) => step.startsWith(start)).length;
    assert.deepEqual(
      [count("update"), count("create index"), count("create unique index"), count("alter table")],
      [4, 1, 1, 1],
    );
    assert.equal(await runBackgroundSteps({ ...usual, client: await connect(t, url) }), true);
    await assertDone(database);
  },
);

test("an index whose building was cut off is built again", onPostgresAlone, async (t) => {
  const { url, database } = await createTable(t);
  // It waits for anyone who is just writing.
  const writer = await connect(t, url);
  await writer.query("begin");
  await writer.query("insert into made_up (form_id, at, day) values ('form_1', 0, 0)");
  const failed = assert.rejects(runBackgroundSteps({ ...usual, client: await connect(t, url) }), /terminat/);
  let pid: number | undefined;
  while (pid === undefined) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_progress_create_index join pg_stat_activity using (pid)
      where index_relid = to_regclass('made_up_day') and wait_event_type = 'Lock'`.execute(database);
    pid = rows[0]?.pid;
  }
  await sql`select pg_terminate_backend(${pid})`.execute(database);
  await failed;
  await writer.query("commit");
  const { rows } = await sql`select indisvalid from pg_index where indexrelid = to_regclass('made_up_day')`.execute(
    database,
  );
  assert.deepEqual(rows, [{ indisvalid: false }]);
  assert.equal(await runBackgroundSteps({ ...usual, client: await connect(t, url) }), true);
  await assertDone(database);
});

test(
  "a key of a table that is being read is left alone, and tried again; nobody waits long for it",
  onPostgresAlone,
  async (t) => {
    const { url, database } = await createTable(t);
    const reader = await connect(t, url);
    let waits = 0;
    const wait = async (milliseconds: number) => {
      // The batches of rows wait for as long as they took.
      if (milliseconds !== 250 && milliseconds !== 500) return;
      waits += 1;
      await workAsBefore(database);
      if (waits === 2) await reader.query("commit");
    };
    const [fill, index] = steps;
    assert.ok(fill !== undefined && index !== undefined);
    await runBackgroundSteps({ ...usual, steps: [fill, index], client: await connect(t, url) });
    await sql`create unique index made_up_of_form on made_up (form_id, id)`.execute(database);
    await reader.query("begin");
    await reader.query("select 1 from made_up limit 1");
    assert.equal(await runBackgroundSteps({ ...usual, client: await connect(t, url), wait }), true);
    assert.ok(waits >= 2);
    assert.equal(await runBackgroundSteps({ ...usual, client: await connect(t, url) }), true);
    await assertDone(database);
  },
);

test("one process at a time does the steps", onPostgresAlone, async (t) => {
  const { url, database } = await createTable(t);
  const [one, other] = [await connect(t, url), await connect(t, url)];
  await one.query(`select pg_advisory_lock(${lockKey})`);
  assert.equal(await runBackgroundSteps({ ...usual, client: other }), false);
  assert.equal((await listStepsLeft(database, steps)).length, 3);
});
