import type { Kysely } from "kysely";

/** How many days a form keeps its submissions; no row means that it keeps them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("form_retention")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("days", "bigint", (c) => c.notNull())
    .execute();
}
