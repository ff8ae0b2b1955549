import type { Database } from "../database/database.ts";

/** Every table of the service, as the database has it. */
export async function listTables(database: Database): Promise<readonly string[]> {
  const found = await database.introspection.getTables();
  return found
    .filter(({ isView }) => !isView)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("kysely_") && !name.startsWith("sqlite_"));
}
