import { type Kysely, sql } from "kysely";

/**
 * Accounts and organizations that are about to be deleted, and moves to another address (docs/accounts.md). It adds columns and a
 * table and writes no row: a process of an older version ignores them, and deletes nothing.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  for (const column of ["leaves_at", "organization_ends_at"]) {
    await schema.alterTable("account_holder").addColumn(column, "bigint").execute();
    await schema
      .createIndex(`account_holder_${column}`)
      .on("account_holder")
      .column(column)
      .where(sql.ref(column), "is not", null)
      .execute();
  }
  await schema
    .createTable("address_move")
    .addColumn("person_id", "text", (c) => c.primaryKey().references("account_holder.id").onDelete("cascade"))
    .addColumn("old_email", "text", (c) => c.notNull())
    .addColumn("new_email", "text", (c) => c.notNull())
    // SHA-256 of the tokens in the links, hex; null once a link was used.
    .addColumn("old_hash", "text", (c) => c.unique())
    .addColumn("new_hash", "text", (c) => c.unique())
    .addColumn("undo_hash", "text", (c) => c.unique())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("moved_at", "bigint")
    .execute();
  // Addresses that nobody else takes meanwhile.
  await schema.createIndex("address_move_old").on("address_move").column("old_email").execute();
}
