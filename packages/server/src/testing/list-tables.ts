import type { Database } from "../database/database.ts";

/** Every table of the service that holds what people entrust to it: all but those about the tables themselves. */
export async function listTables(database: Database): Promise<readonly string[]> {
  const found = await database.introspection.getTables();
  return found
    .filter(({ isView }) => !isView)
    .map(({ name }) => name)
    .filter((name) => name !== "baseline" && !name.startsWith("kysely_") && !name.startsWith("sqlite_"));
}
