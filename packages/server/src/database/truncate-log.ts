import { sql } from "kysely";
import type { Database } from "./database.ts";
import { kindOf } from "./kind.ts";
import { busyMilliseconds } from "./sqlite.ts";

/**
 * Copies SQLite's log (WAL) into the database and empties it, so that deleted data is in neither. Does nothing while
 * another process reads, a backup say: the next one does it. PostgreSQL has its own ways (docs/operation.md).
 */
export async function truncateLog(database: Database): Promise<void> {
  if (kindOf(database) === "postgres") return;
  await database.connection().execute(async (connection) => {
    // Nothing else runs here meanwhile, so waiting for the other process would stop the service.
    await sql`PRAGMA busy_timeout = 0`.execute(connection);
    try {
      await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(connection);
    } finally {
      await sql`PRAGMA busy_timeout = ${sql.lit(busyMilliseconds)}`.execute(connection);
    }
  });
}
