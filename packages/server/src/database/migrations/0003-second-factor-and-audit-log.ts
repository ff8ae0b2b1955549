import { type Kysely, sql } from "kysely";
import { kindOf } from "../kind.ts";

export async function up(database: Kysely<unknown>): Promise<void> {
  await createSecondFactor(database);
  await createAuditLog(database);
}

/** The table of the sign-in library's second factor under our names; `authentication/auth.ts` maps them. */
async function createSecondFactor(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable("account_holder")
    .addColumn("second_factor_enabled", "boolean", (c) =>
      c.notNull().defaultTo(kindOf(database) === "postgres" ? sql`false` : sql`0`),
    )
    .execute();
  await schema
    .createTable("second_factor")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull().unique().references("account_holder.id").onDelete("cascade"))
    // Both encrypted with a key that is derived from the instance's secret.
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("backup_codes", "text", (c) => c.notNull())
    .addColumn("verified", "boolean")
    .addColumn("failed_verifications", "integer")
    .addColumn("locked_until", kindOf(database) === "postgres" ? "timestamptz" : "date")
    .execute();
}

/** Who did what to an account, and when; nothing that was submitted, no address. */
async function createAuditLog(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("audit_entry")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("occurred_at", "bigint", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("actor", "text", (c) => c.notNull())
    .addColumn("actor_id", "text")
    .addColumn("target_id", "text")
    .addColumn("target_name", "text")
    .addColumn("count", "integer")
    .execute();
  await schema.createIndex("audit_entry_list").on("audit_entry").columns(["account_id", "occurred_at", "id"]).execute();
  await schema.createIndex("audit_entry_age").on("audit_entry").column("occurred_at").execute();
}
