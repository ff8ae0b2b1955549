import type { Kysely } from "kysely";

/**
 * Logs of forms' keys (docs/decisions/0031-several-readers.md). A process of an older version rotates without an entry; the log then
 * lacks that version, and pages that pin the log send nothing until the next entry.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("key_log_entry")
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("entry", "text", (c) => c.notNull())
    .addColumn("added_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("key_log_entry_key", ["form_id", "number"])
    .execute();
}
