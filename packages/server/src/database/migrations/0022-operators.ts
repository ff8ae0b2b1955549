import type { Kysely } from "kysely";

/**
 * Operators, and emails that could not be sent. It adds columns that may be null: a process of an older version may serve the
 * database alongside this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable("account_holder").addColumn("operator_since", "bigint").execute();
  await schema.alterTable("mail").addColumn("failed_at", "bigint").execute();
  await schema.alterTable("mail").addColumn("failed_to", "text").execute();
  await schema.alterTable("mail").addColumn("failure", "text").execute();
  await schema.createIndex("mail_failed").on("mail").columns(["failed_at", "id"]).execute();
}
