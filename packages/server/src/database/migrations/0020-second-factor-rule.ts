import type { Kysely } from "kysely";

/** When an organization requires a second factor of its members. An older version that serves alongside does not know it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("account_holder").addColumn("second_factor_from", "bigint").execute();
}
