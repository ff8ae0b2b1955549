import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Kysely, type Transaction } from "kysely";
import type { Tables } from "./schema.ts";
import { createSqliteDialect } from "./sqlite.ts";

export type Database = Kysely<Tables>;
/** A database inside a transaction: what is written through it is committed or rolled back together. */
export type DatabaseTransaction = Transaction<Tables>;

/** Opens the SQLite database in `folder`, made with mode 0700 when absent. Migrations are the caller's next step. */
export function openSqlite(folder: string): Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new Kysely<Tables>({ dialect: createSqliteDialect(join(folder, "sealpost.sqlite")) });
}
