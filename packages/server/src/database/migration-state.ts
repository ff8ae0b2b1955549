import { sql } from "kysely";
import type { Database } from "./database.ts";
import { migrations } from "./migrate.ts";
import { requireOwnBaseline } from "./own-baseline.ts";

/** How a database stands to this program's migrations. */
export interface MigrationState {
  /** The newest one that the database has; `undefined` in a database that was never started. */
  readonly newest: string | undefined;
  /** This program has them, the database not yet: a start brings them. */
  readonly missing: readonly string[];
  /** The database has them and this program does not know them: a newer version was started on it. */
  readonly unknown: readonly string[];
}

/** Reads, and changes nothing: `migrate` is what brings a database forward. Throws where another baseline has made it. */
export async function findMigrationState(database: Database): Promise<MigrationState> {
  await requireOwnBaseline(database, migrations);
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  const rows = tables.some(({ name }) => name === "kysely_migration")
    ? (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database)).rows
    : [];
  const applied = rows.map(({ name }) => name);
  const known = Object.keys(migrations);
  return {
    newest: applied.at(-1),
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}
