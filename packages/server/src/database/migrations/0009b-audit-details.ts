import type { Kysely } from "kysely";

/**
 * JSON: changes with old and new values, or how often something happened. An older version, which may run alongside this
 * one, neither reads nor writes it.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("audit_entry").addColumn("details", "text").execute();
}
