import type { Kysely } from "kysely";

/**
 * Personal keys: their public halves, and sealed copies of them (docs/decisions/0029-personal-keys.md). It adds tables and writes no row:
 * a process of an older version may serve the database alongside this one, and knows nothing of them.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("personal_key")
    .addColumn("person_id", "text", (c) => c.primaryKey().references("account_holder.id").onDelete("cascade"))
    .addColumn("recipient", "text", (c) => c.notNull())
    .addColumn("signing_key", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await schema
    .createTable("key_copy")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("way", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("file", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("removed_at", "bigint")
    .execute();
  await schema.createIndex("key_copy_person").on("key_copy").column("person_id").execute();
  await schema.createIndex("key_copy_removed").on("key_copy").column("removed_at").execute();
}
