import type { Kysely, Transaction } from "kysely";
import { GuardedDatabase } from "./guarded-transactions.ts";
import { createHosts, type Hosts } from "./hosts.ts";
import { openSqlite } from "./open-sqlite.ts";
import { createPostgresDialect } from "./postgres.ts";
import type { Tables } from "./schema.ts";
import { rememberWorkers } from "./workers.ts";

export type Database = Kysely<Tables>;
/** A database inside a transaction: what is written through it is committed or rolled back together. */
export type DatabaseTransaction = Transaction<Tables>;

/** Opens PostgreSQL when a URL is given, else SQLite in the data folder. */
export function openDatabase({
  databaseUrl,
  dataFolder,
}: {
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
}): Database {
  return databaseUrl === undefined ? openSqlite(dataFolder) : openPostgres(databaseUrl);
}

export function openPostgres(url: string): Database {
  return openOnHosts(createHosts(url));
}

/** For a service, which has more connections to the hosts than those of the pool. */
export function openOnHosts(hosts: Hosts): Database {
  const database = new GuardedDatabase({ dialect: createPostgresDialect(hosts) });
  rememberWorkers(database);
  return database;
}
