import type { Kysely } from "kysely";

/**
 * Persons with roles in organizations (docs/decisions/0023-organizations.md). It adds tables and columns and writes no row:
 * a process of an older version may serve the database alongside this one. Where its rows have null, the session and the API
 * key belong to the person with the account's id, who becomes the owner with the first request of theirs.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable("account_holder").addColumn("joined_at", "bigint").execute();
  await schema.alterTable("account_holder").addColumn("organization_name", "text").execute();
  await schema.alterTable("session").addColumn("organization_id", "text").execute();
  await schema.alterTable("api_key").addColumn("made_by", "text").execute();
  await schema.alterTable("audit_entry").addColumn("person_id", "text").execute();
  await schema
    .createTable("member")
    .addColumn("organization_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("form_ids", "text", (c) => c.notNull())
    .addColumn("since", "bigint", (c) => c.notNull())
    .addColumn("added_by", "text")
    .addPrimaryKeyConstraint("member_primary", ["organization_id", "person_id"])
    .execute();
  await schema.createIndex("member_person").on("member").column("person_id").execute();
  await schema
    .createTable("invitation")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("organization_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("form_ids", "text", (c) => c.notNull())
    .addColumn("token_hash", "text", (c) => c.notNull().unique())
    .addColumn("invited_by", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await schema.createIndex("invitation_list").on("invitation").columns(["organization_id", "created_at"]).execute();
}
