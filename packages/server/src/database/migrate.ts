import { type Migration, Migrator } from "kysely/migration";
import type { Database } from "./database.ts";
import * as initial from "./migrations/0001-initial.ts";

/** Every migration, in order. Append only: what has been released is never edited. */
const migrations: Record<string, Migration> = {
  "0001-initial": initial,
};

/** Brings the database to the newest version, each migration in a transaction. Throws the first failure; what came before it stays. */
export async function migrate(database: Database): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
