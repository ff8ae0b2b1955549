import type { Kysely } from "kysely";

/** Settings of a form beyond the contract's four, as a JSON object of those that differ from their default. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("form")
    .addColumn("settings", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
}
