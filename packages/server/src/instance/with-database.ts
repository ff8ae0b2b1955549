import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { requireNotCopied } from "../database/copied-away.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { explainFolderFailure } from "../database/folder-failure.ts";
import { requireNoLeftOverLog } from "../database/left-over-log.ts";
import { migrate } from "../database/migrate.ts";
import { sqliteFile } from "../database/open-sqlite.ts";
import { requireNoRestore } from "../database/restoring.ts";
import { loadSecrets } from "./secret-file.ts";

/** Opens the database, migrated, for one piece of an operator's work, and closes it. Works alongside a running service. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  requireNoRestore(config);
  requireNotCopied(config);
  try {
    // First: one that is made without its secret is never served.
    if (config.databaseUrl === undefined) {
      requireNoLeftOverLog(join(config.dataFolder, sqliteFile));
      loadSecrets(config.secrets, config.dataFolder);
    }
    const database = openDatabase(config);
    try {
      await migrate(database);
      return await work(database);
    } finally {
      await database.destroy();
    }
  } catch (error) {
    throw config.databaseUrl === undefined ? explainFolderFailure(error, config.dataFolder) : error;
  }
}
