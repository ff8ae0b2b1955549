import type { Kysely } from "kysely";

/** Since when an organization wants a recovery key. An older version that serves alongside does not know it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("account_holder").addColumn("recovery_required_at", "bigint").execute();
}
