import { type Migration, Migrator } from "kysely/migration";
import type { BackgroundStep } from "./background-steps.ts";
import * as baseline from "./baseline/baseline.ts";
import type { Database } from "./database.ts";
import { isDeadlock } from "./errors.ts";
import { requireOwnBaseline } from "./own-baseline.ts";

/** Every migration, in order. The first is edited in place until version 0.2.0 (`baseline/baseline.ts`); no other is once it was released. */
export const migrations: Record<string, Migration> = { "0001-initial": baseline };

/** The steps that migrations leave to the background on PostgreSQL, in order: there are none yet. */
export const backgroundSteps: readonly BackgroundStep[] = [];

/** The tables as a version has them; tests bring those of a version that is made up. */
export interface TableVersion {
  readonly migrations: Record<string, Migration>;
  readonly backgroundSteps: readonly BackgroundStep[];
}

/** An older version that serves the database may lock the same tables in another order. PostgreSQL finds that out after a second. */
const attemptsMax = 20;

/**
 * Brings the database to the newest version, all that is missing in one transaction. Throws what failed; nothing has changed
 * then, and the version before keeps working on the unchanged database.
 */
export async function migrate(database: Database, known: Record<string, Migration> = migrations): Promise<void> {
  const hasTables = await requireOwnBaseline(database, known);
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => known },
  });
  let { error } = await migrator.migrateToLatest();
  for (let attempt = 2; isDeadlock(error) && attempt <= attemptsMax; attempt++)
    ({ error } = await migrator.migrateToLatest());
  const newer =
    error instanceof Error ? /previously executed migration (\S+) is missing/.exec(error.message)?.[1] : undefined;
  if (newer !== undefined)
    throw new Error(
      `A newer version of Sealpost was started on this database (${newer}): run that version, or restore a backup that this one has made`,
      { cause: error },
    );
  if (error !== undefined) throw error;
  // Another process may have filled an empty database meanwhile.
  if (!hasTables) await requireOwnBaseline(database, known);
}
