import type { Kysely } from "kysely";

/**
 * Admissions to signed lists (docs/decisions/0031-several-readers.md). It adds a table and writes no row: a process of an older version, which
 * knows nothing of it, may serve the database alongside this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("admission")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("organization_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("person_id", "text", (c) => c.references("account_holder.id").onDelete("cascade"))
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("made_by", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("terms", "text", (c) => c.notNull())
    .addColumn("file", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("ends_at", "bigint", (c) => c.notNull())
    .addColumn("refusals", "integer", (c) => c.notNull().defaultTo(0))
    .addColumn("answered_by", "text")
    .addColumn("recipient", "text")
    .addColumn("signing_key", "text")
    .addColumn("proof", "text")
    .addColumn("answered_at", "bigint")
    .addColumn("ended_at", "bigint")
    .execute();
  await schema.createIndex("admission_organization").on("admission").column("organization_id").execute();
  await schema.createIndex("admission_person").on("admission").column("person_id").execute();
  await schema.createIndex("admission_maker").on("admission").column("made_by").execute();
  await schema.createIndex("admission_end").on("admission").column("ends_at").execute();
}
