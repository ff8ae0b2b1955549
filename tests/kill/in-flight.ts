import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { openPostgres } from "../../packages/server/src/database/database.ts";

/** The deliveries that a killed service held claims on: exactly those whose requests may have been under way. */
export async function findInFlight(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { SEALPOST_DATABASE_URL: url, SEALPOST_DATA: folder = "" } = environment;
  return url === undefined ? findInFile(folder) : findOnServer(url);
}

/** On PostgreSQL the next service does not know that this one is gone, and waits for its leases. They end here. */
async function findOnServer(url: string): Promise<readonly string[]> {
  const database = openPostgres(url);
  try {
    // A commit that was under way may still happen, as long as the server serves the connection.
    const countConnections = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and application_name = 'sealpost' and pid <> pg_backend_pid()`.execute(
        database,
      );
      return rows[0]?.count ?? 0;
    };
    while ((await countConnections()) > 0);
    const rows = await database
      .updateTable("delivery_queue")
      .set({ due_at: 0, claim_token: null })
      .where("claim_token", "is not", null)
      .returning("delivery_id")
      .execute();
    return rows.map((row) => row.delivery_id);
  } finally {
    await database.destroy();
  }
}

function findInFile(dataFolder: string): readonly string[] {
  const rows = readRemaining(dataFolder, "select delivery_id from delivery_queue where claim_token is not null");
  return rows.map((row) => String(row.delivery_id));
}

/** Whether a killed service has left a purge of submissions unfinished. */
export async function wasPurging(environment: Readonly<Record<string, string>>): Promise<boolean> {
  const { SEALPOST_DATABASE_URL: url, SEALPOST_DATA: folder = "" } = environment;
  if (url === undefined) return readRemaining(folder, "select form_id from submission_purge").length > 0;
  const database = openPostgres(url);
  try {
    return (await database.selectFrom("submission_purge").select("form_id").execute()).length > 0;
  } finally {
    await database.destroy();
  }
}

/** From a copy, so that the service itself is the first to open what remained. */
function readRemaining(dataFolder: string, query: string): readonly Record<string, unknown>[] {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-copy-"));
  try {
    for (const name of ["sealpost.sqlite", "sealpost.sqlite-wal"])
      if (existsSync(join(dataFolder, name))) copyFileSync(join(dataFolder, name), join(folder, name));
    const database = new DatabaseSync(join(folder, "sealpost.sqlite"));
    try {
      return database.prepare(query).all();
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
