import type { Kysely } from "kysely";

/**
 * Invitations to the instance (docs/operation.md, "Operators"), in a table of their own: a process of an older version ends those
 * of organizations alone, and reads of each one which organization it is to.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("instance_invitation")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("email", "text", (c) => c.notNull())
    // SHA-256 of the tokens of the link that is shown and of the one that is emailed, hex.
    .addColumn("token_hash", "text", (c) => c.notNull().unique())
    .addColumn("mail_hash", "text", (c) => c.unique())
    .addColumn("invited_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await schema.createIndex("instance_invitation_list").on("instance_invitation").column("created_at").execute();
}
