import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { listColumns } from "../../packages/server/src/copy/copy-store.ts";
import type { Database } from "../../packages/server/src/database/database.ts";
import { openSqlite } from "../../packages/server/src/database/open-sqlite.ts";
import { type CopiedTable, copiedTables } from "../../packages/server/src/database/table-records.ts";
import { copyKey } from "../../packages/server/src/instance/instance.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { onPostgres } from "../../packages/server/src/testing/test-database.ts";
import { copy, startCopy } from "../postgres/copy-command.ts";
import { createCluster, createPlainForm, post, request } from "../postgres/processes.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";

/** `npm run test:kill` sets thirty. `npm test` has one kill of a copy already, in tests/postgres. */
const rounds = Number(process.env.SEALPOST_KILL_ROUNDS ?? 30);
const submissionsPerRound = 100;

test(`${rounds} times kill -9 of a copy, which resumes each time: every row is there unchanged, once`, {
  skip: onPostgres.skip || (rounds <= 3 && "part of npm run test:kill"),
}, async (t) => {
  const { folder, form, key } = await createSource(t);
  const source = openSqlite(folder);
  closeAtEnd(t, () => source.destroy());
  const wanted = new Map<string, readonly string[]>();
  const cluster = await createCluster(t);
  const target = cluster.database;
  for (const table of copiedTables) wanted.set(table, await hashRows(source, target, table));
  const to = cluster.environment.SEALPOST_DATABASE_URL ?? "";

  const killed = { copying: 0, comparing: 0 };
  const places = new Set<string | undefined>();
  let rows = 0;
  let complete = 0;
  /** Holds a complete copy to the source. */
  async function check(): Promise<void> {
    rows = 0;
    for (const table of copiedTables) {
      const copied = await hashRows(target, target, table);
      assert.deepEqual(copied, wanted.get(table), table);
      rows += copied.length;
    }
    complete += 1;
  }

  while (killed.copying + killed.comparing < rounds) {
    // A random moment: when it has come some batches further, or when it compares and has come to some table.
    let batches = Math.ceil(Math.random() * 5);
    let tablesToCompare = Math.ceil(Math.random() * copiedTables.length);
    const running = startCopy(folder, to, (line) => {
      if (line.startsWith("comparing ") && --tablesToCompare === 0) running.kill();
    });
    for (let place = await findPlace(target); batches > 0 && !running.isOver(); ) {
      const next = await findPlace(target);
      if (next !== place) batches -= 1;
      place = next;
    }
    running.kill();
    const { signal, code, stderr } = await running.ended;
    if (signal === "SIGKILL") {
      killed[stderr.includes("comparing ") ? "comparing" : "copying"] += 1;
      places.add(await findPlace(target));
    } else assert.equal(code, 0, stderr);
    if (!stderr.includes(`comparing ${copiedTables.at(-1)}`) || (await findPlace(target)) !== undefined) continue;
    // It was complete before it could be killed, or before it could say so: then it says so when it is asked again.
    assert.match((await copy(folder, to)).stderr, /The target has this instance already/);
    await check();
    await sql`drop schema public cascade`.execute(target);
    await sql`create schema public`.execute(target);
  }
  assert.ok(places.size > rounds / 3, "a control: it was killed in many places");
  const last = await copy(folder, to);
  assert.equal(last.code, 0, last.stderr);
  await check();

  const secret = readFileSync(join(folder, "secret"), "utf8").trim();
  const moved = await startServiceProcess({ ...cluster.environment, SEALPOST_SECRET: secret });
  closeAtEnd(t, () => moved.kill());
  const { body } = await request(moved, "GET", `/api/forms/${form}/submissions?limit=1`, { token: key });
  assert.equal(body.total, rounds * submissionsPerRound + 20);
  assert.equal((await post(moved, form)).status, 201, "new rows are numbered after the old ones");
  t.diagnostic(
    `${rounds} kills of a copy (${killed.copying} while it copied, ${killed.comparing} while it compared), ` +
      `${complete} complete, each of ${rows} rows, 0 lost, 0 twice`,
  );
});

/** A stopped SQLite instance. */
async function createSource(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const service = await startServiceProcess({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_SUBMIT_RATE: "0" });
  closeAtEnd(t, () => service.kill());
  const token = await signUpForToken(service);
  const form = await createPlainForm(service, token, { webhookUrl: "https://nowhere.invalid/hook" });
  const { key } = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Kéy" } })).body.key;
  for (let count = 0; count < 25; count++) assert.equal((await post(service, form)).status, 201);
  const { submissions } = (await request(service, "GET", `/api/forms/${form}/submissions`, { token })).body;
  for (const { id } of submissions.slice(0, 5))
    assert.equal((await request(service, "DELETE", `/api/forms/${form}/submissions/${id}`, { token })).status, 200);
  await service.kill();
  const source = openSqlite(folder);
  const count = rounds * submissionsPerRound;
  await sql`
    with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${count})
    insert into submission (form_id, id, key_version, version, data, key, iv, timestamp, received_at)
    select ${form}, 'sub_' || n, 1, 'sp1', randomblob(300), randomblob(384), randomblob(12), n, n from counter`.execute(
    source,
  );
  await source
    .updateTable("form_count")
    .set({ stored: count + 20 })
    .where("form_id", "=", form)
    .execute();
  await source.destroy();
  return { folder, form, key: key as string };
}

/** How far the copy is, as the target says; `undefined` when it is complete or was never begun. */
async function findPlace(target: Database): Promise<string | undefined> {
  try {
    const row = await target.selectFrom("instance").select("value").where("key", "=", copyKey).executeTakeFirst();
    return row?.value;
  } catch (error) {
    // 42P01: there are no tables yet.
    if (error instanceof Error && "code" in error && error.code === "42P01") return undefined;
    throw error;
  }
}

/** A hash of each row, in the order of the hashes. The types are PostgreSQL's: SQLite has fewer. */
async function hashRows(database: Database, target: Database, table: CopiedTable): Promise<string[]> {
  const columns = await listColumns(target, table);
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database);
  return rows
    .map((row) => {
      const values = columns.map(({ name, type }) => {
        const value = row[name];
        if (value === null || value === undefined) return null;
        if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
        if (type.startsWith("timestamp")) return new Date(value instanceof Date ? value : String(value)).toISOString();
        return type === "boolean" ? Boolean(value) : String(value);
      });
      return createHash("sha256").update(JSON.stringify(values)).digest("hex");
    })
    .sort();
}
