import type { Kysely } from "kysely";

/**
 * Personal keys that another one has replaced, with their sealed copies (docs/decisions/0031-several-readers.md). It adds tables and writes
 * no row: a process of an older version may serve the database alongside this one, and sees the copies of the key in use alone.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("former_key")
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("signing_key", "text", (c) => c.notNull())
    .addColumn("recipient", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("replaced_at", "bigint", (c) => c.notNull())
    .addColumn("copy_id", "text")
    // Sealed for the key that replaced it: an age file, base64url.
    .addColumn("file", "text")
    .addPrimaryKeyConstraint("former_key_key", ["person_id", "signing_key"])
    .execute();
  await schema.createIndex("former_key_replaced").on("former_key").column("replaced_at").execute();
  await schema
    .createTable("former_key_copy")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("signing_key", "text", (c) => c.notNull())
    .addColumn("way", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("file", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("removed_at", "bigint")
    .execute();
  await schema.createIndex("former_key_copy_key").on("former_key_copy").columns(["person_id", "signing_key"]).execute();
}
