import type { Kysely } from "kysely";

/**
 * Passkeys (docs/decisions/0027-passkeys.md). It adds a table and a column and writes no row: a process of an older version may
 * serve the database alongside this one, and treats a session that a passkey opened as one without a second factor.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("passkey")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("credential_id", "text", (c) => c.notNull().unique())
    .addColumn("user_handle", "text", (c) => c.notNull())
    .addColumn("public_key", "text", (c) => c.notNull())
    .addColumn("counter", "bigint", (c) => c.notNull())
    .addColumn("transports", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("added_at", "bigint", (c) => c.notNull())
    .addColumn("used_at", "bigint")
    .execute();
  await schema.createIndex("passkey_person").on("passkey").column("person_id").execute();
  await schema.alterTable("session").addColumn("passkey_id", "text").execute();
}
