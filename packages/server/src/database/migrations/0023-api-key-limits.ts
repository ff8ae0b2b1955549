import type { Kysely } from "kysely";

/**
 * API keys for named forms, and until a date. An older version, which may run alongside this one, does not know either: with
 * its processes a limited key does what its permissions allow.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  // JSON array; null: all forms that its maker reaches.
  await schema.alterTable("api_key").addColumn("form_ids", "text").execute();
  await schema.alterTable("api_key").addColumn("expires_at", "bigint").execute();
  // When its owners were notified that it ends soon.
  await schema.alterTable("api_key").addColumn("expiry_notified_at", "bigint").execute();
}
