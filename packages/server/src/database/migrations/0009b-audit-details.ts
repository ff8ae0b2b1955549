import type { Kysely } from "kysely";

/**
 * JSON: what changed from what to what, or how often something happened. An older version, which may go on beside this
 * one, neither reads nor writes it.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("audit_entry").addColumn("details", "text").execute();
}
