import type { Kysely } from "kysely";

/** A coarse name of the browser of a session, and when it was last used. An older version that serves alongside writes neither. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("session").addColumn("browser", "text").execute();
  await database.schema.alterTable("session").addColumn("last_used_at", "bigint").execute();
}
