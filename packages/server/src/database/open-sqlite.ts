import { join } from "node:path";
import type { Kysely } from "kysely";
import { createFolder } from "./folder-failure.ts";
import { GuardedDatabase } from "./guarded-transactions.ts";
import { requireOwnBaselineOfFile } from "./own-baseline.ts";
import type { Tables } from "./schema.ts";
import { createSqliteDialect } from "./sqlite.ts";

/** The name of the SQLite database in the data folder. */
export const sqliteFile = "sealpost.sqlite";

// Apart from `openDatabase`, so that the thread that writes does not load PostgreSQL's driver.

/**
 * Opens the SQLite database in `folder`, made with mode 0700 when absent. Migrations are the caller's next step. Throws, and
 * touches nothing, where another baseline has made the database.
 */
export function openSqlite(folder: string): Kysely<Tables> {
  requireOwnBaselineOfFile(join(folder, sqliteFile));
  return openOwnSqlite(folder);
}

/** The same where the caller, or the process that this thread belongs to, has looked at the baseline. */
export function openOwnSqlite(folder: string): Kysely<Tables> {
  createFolder(folder);
  return new GuardedDatabase({ dialect: createSqliteDialect(join(folder, sqliteFile)) });
}
