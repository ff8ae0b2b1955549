import type { Config } from "../config/config.ts";
import { type Database, openDatabase } from "./database.ts";
import { explainFolderFailure } from "./folder-failure.ts";
import { migrate } from "./migrate.ts";

/** Opens the database, migrated, for one piece of an operator's work, and closes it. Works alongside a running service. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  try {
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
