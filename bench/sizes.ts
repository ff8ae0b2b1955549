/**
 * `npm run bench -- sizes`: how many bytes a stored submission takes up in the database's files, indexes and all, and how
 * many more its event and delivery do.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createId, type FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { type Database, openDatabase } from "../packages/server/src/database/database.ts";
import { migrate } from "../packages/server/src/database/migrate.ts";
import { sqliteFile } from "../packages/server/src/database/open-sqlite.ts";
import { defaultSettings } from "../packages/server/src/forms/form-settings.ts";
import { toSettingColumns } from "../packages/server/src/forms/setting-columns.ts";
import { createSubmissionStore } from "../packages/server/src/submissions/submission-store.ts";
import { snapshotOf, writeBatch } from "../packages/server/src/submissions/write-batch.ts";
import { startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { describeMachine } from "./machine.ts";
import { createDatabase, type DatabaseName } from "./processes.ts";

const { values: options } = parseArgs({ options: { submissions: { type: "string", default: "50000" } } });
const count = Number(options.submissions);
const batch = 100;
/** A short message as RSA-OAEP-3072 and AES-GCM leave it: nothing that a database could compress. */
const seal = () => ({ version: "sp1", data: randomBytes(1040), key: randomBytes(384), iv: randomBytes(12) }) as const;

const kinds = [
  { name: "no webhook", webhook: false },
  { name: "webhook", webhook: true },
] as const;

process.stdout.write(`${describeMachine()}\n${count} sealed submissions of 1,436 bytes, bytes each\n\n`);
process.stdout.write(`| | ${kinds.map(({ name }) => name).join(" | ")} |\n|---|---|---|\n`);
const server = await startPostgresServer();
try {
  for (const database of ["SQLite", "PostgreSQL"] as const) {
    const sizes: number[] = [];
    for (const kind of kinds) sizes.push(await measure(database, kind));
    process.stdout.write(`| ${database} | ${sizes.map((size) => size.toFixed(0)).join(" | ")} |\n`);
  }
} finally {
  await server.remove();
}

async function measure(name: DatabaseName, { webhook }: (typeof kinds)[number]): Promise<number> {
  const dataFolder = mkdtempSync(join(tmpdir(), "sealpost-bench-"));
  const databaseName = createId("form").toLowerCase();
  const databaseUrl = name === "SQLite" ? undefined : await createDatabase(server.url, databaseName);
  const database = openDatabase({ databaseUrl, dataFolder });
  try {
    await migrate(database);
    const formId = await createForm(database, webhook);
    const before = await readSize(database, dataFolder, name);
    await fill(database, formId);
    return ((await readSize(database, dataFolder, name)) - before) / count;
  } finally {
    await database.destroy();
    rmSync(dataFolder, { recursive: true });
  }
}

async function createForm(database: Database, webhook: boolean): Promise<FormId> {
  const [id, account] = [createId("form"), createId("account")];
  const now = Date.now();
  await sql`insert into organization (id, name, plan, created_at, counts_for) values (${account}, 'Bench', 'free', 0, ${account})`.execute(
    database,
  );
  const times = { created_at: now, updated_at: now };
  const settings = toSettingColumns(defaultSettings);
  const form = { id, account_id: account, name: "Bench", name_key: "bench", key_version: 1, ...settings, ...times };
  await database.insertInto("form").values(form).execute();
  await database.insertInto("form_count").values({ form_id: id, stored: 0, received: 0 }).execute();
  const target = { url: "https://receiver.example/", host: "receiver.example", secret: "" };
  if (webhook)
    await database
      .insertInto("webhook")
      .values({ form_id: id, ...target })
      .execute();
  return id;
}

async function fill(database: Database, formId: FormId): Promise<void> {
  const submissions = createSubmissionStore(database);
  const settingsSnapshot = snapshotOf({ settings: defaultSettings, keyVersion: 1 });
  for (let start = 0; start < count; start += batch) {
    const entries = Array.from({ length: batch }, () => {
      const now = Date.now();
      const id = createId("submission", now);
      const submission = { formId, id, keyVersion: 1, payload: seal(), timestamp: now, receivedAt: now };
      return { submission, settingsSnapshot };
    });
    const { outcomes } = await writeBatch(submissions, database, entries);
    if (outcomes.some(({ outcome }) => outcome !== "created")) throw new Error("Something was not stored");
    await nextTurn();
  }
}

async function readSize(database: Database, folder: string, name: DatabaseName): Promise<number> {
  if (name === "SQLite") {
    await sql`pragma wal_checkpoint(truncate)`.execute(database);
    return statSync(join(folder, sqliteFile)).size;
  }
  await sql`vacuum`.execute(database);
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(database);
  return Number(rows[0]?.size);
}
