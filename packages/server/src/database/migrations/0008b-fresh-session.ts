import type { Kysely } from "kysely";

/**
 * When who has a session last proved to be the owner; where it is null that is when the session began. An older version
 * that still runs leaves it null.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("session").addColumn("authenticated_at", "bigint").execute();
}
