import type { Kysely } from "kysely";
import { kindOf } from "../kind.ts";

/**
 * Signed lists of members, and the envelopes with forms' private keys (docs/decisions/0029-personal-keys.md). It adds tables and writes
 * no row: a process of an older version, which knows none of them, may serve the database alongside this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("list_entry")
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("entry", "text", (c) => c.notNull())
    .addColumn("member_id", "text", (c) => c.notNull())
    // Of the list up to here.
    .addColumn("list_bytes", "integer", (c) => c.notNull())
    .addColumn("added_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("list_entry_key", ["organization_id", "number"])
    .execute();
  await schema.createIndex("list_entry_member").on("list_entry").column("member_id").execute();
  await schema
    .createTable("envelope")
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("lowest_version", "integer", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    // 0 in those that are in use: after a removal, another envelope may begin at revision 1.
    .addColumn("removed_at", "bigint", (c) => c.notNull().defaultTo(0))
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("bytes", "integer", (c) => c.notNull())
    .addColumn("file", kindOf(database) === "postgres" ? "bytea" : "blob", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("envelope_key", ["form_id", "lowest_version", "removed_at", "revision"])
    .execute();
  await schema.createIndex("envelope_removed").on("envelope").column("removed_at").execute();
  await schema
    .createTable("form_reservation")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("organization_id", "text", (c) => c.notNull())
    // A person, or an API key.
    .addColumn("principal_id", "text", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .execute();
  await schema.createIndex("form_reservation_end").on("form_reservation").column("expires_at").execute();
}
