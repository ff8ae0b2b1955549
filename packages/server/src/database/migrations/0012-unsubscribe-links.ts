import type { ColumnDataType, Kysely } from "kysely";

const time: ColumnDataType = "bigint";

/**
 * When the owner last switched mails on again, of a form or of an account: links in mails from before end nothing any more.
 * An older process beside this one does not write it; what is switched on there can be ended by links from before, as it could.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("mail_wanted")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("since", time, (c) => c.notNull())
    .execute();
}
