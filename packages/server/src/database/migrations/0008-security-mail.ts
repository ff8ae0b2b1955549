import type { Kysely } from "kysely";

/** How many security emails of each kind one combined email stands for (docs/decisions/0010-content-free-mail.md). */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("mail_gathered")
    .addColumn("mail_id", "text", (c) => c.notNull())
    .addColumn("event", "text", (c) => c.notNull())
    .addColumn("count", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("mail_gathered_key", ["mail_id", "event"])
    .execute();
}
