import type { Kysely } from "kysely";

/**
 * Handovers of a personal key to another device of its person, of ten minutes each (docs/decisions/0031-several-readers.md). It adds a table and
 * writes no row: a process of an older version may serve the database alongside this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("device_request")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade").unique())
    // That of the new device.
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("commitment", "text", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    // That of the device on which the key is open.
    .addColumn("giving_session_id", "text")
    // JSON, each written once.
    .addColumn("challenge", "text")
    .addColumn("reveal", "text")
    .addColumn("answer", "text")
    .execute();
  await database.schema.createIndex("device_request_end").on("device_request").column("expires_at").execute();
}
