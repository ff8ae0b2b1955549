import type { Kysely } from "kysely";

/**
 * Heads of signed lists, each signed by a member for other devices of theirs (docs/decisions/0034-signed-heads.md). It adds a table and writes no row: a
 * process of an older version may serve the database alongside this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("signed_head")
    .addColumn("person_id", "text", (c) => c.notNull())
    .addColumn("signing_key", "text", (c) => c.notNull())
    .addColumn("organization_id", "text", (c) => c.notNull())
    // Its two lines.
    .addColumn("signed_head", "text", (c) => c.notNull())
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("stored_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("signed_head_key", ["person_id", "signing_key", "organization_id"])
    // They go with the membership, however it ends: an older version ends it too, and knows nothing of them.
    .addForeignKeyConstraint(
      "signed_head_member",
      ["organization_id", "person_id"],
      "member",
      ["organization_id", "person_id"],
      (constraint) => constraint.onDelete("cascade"),
    )
    .execute();
  await schema
    .createIndex("signed_head_member_index")
    .on("signed_head")
    .columns(["organization_id", "person_id"])
    .execute();
}
