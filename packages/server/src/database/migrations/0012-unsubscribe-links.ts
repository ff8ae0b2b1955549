import type { ColumnDataType, Kysely } from "kysely";

const time: ColumnDataType = "bigint";

/**
 * When the owner last switched emails on again, of a form or of an account: links in earlier emails end nothing any more.
 * An older process alongside this one does not write it; emails that are switched on there can still be ended by earlier links.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("mail_wanted")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("since", time, (c) => c.notNull())
    .execute();
}
