import type { Kysely } from "kysely";

/**
 * People of an identity provider (docs/decisions/0026-sign-in-by-oidc.md). It adds a table and columns and writes no row: a
 * process of an older version may serve the database alongside this one, and takes sessions that a provider opened for
 * ordinary ones until it ends.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("identity")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("person_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("issuer", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("admitted_by", "text", (c) => c.notNull())
    .addColumn("linked_at", "bigint", (c) => c.notNull())
    .addColumn("used_at", "bigint")
    .addUniqueConstraint("identity_of_provider", ["issuer", "subject"])
    .execute();
  await schema.createIndex("identity_person").on("identity").column("person_id").execute();
  await schema.alterTable("session").addColumn("identity_id", "text").execute();
  await schema.alterTable("session").addColumn("ends_at", "bigint").execute();
  await schema.alterTable("session").addColumn("second_factor", "text").execute();
}
