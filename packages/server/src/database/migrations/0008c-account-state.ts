import type { Kysely } from "kysely";

/**
 * When the operator disabled an account, and whether its address has to be verified: `needed` before it makes forms or API
 * keys; `trusted` where it never was asked for, as of every account that is there already; `declined` where the owner was
 * asked and put it off. `email_verified` of the sign-in library says that it was.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("account_holder").addColumn("disabled_at", "bigint").execute();
  await database.schema
    .alterTable("account_holder")
    .addColumn("verification", "text", (c) => c.notNull().defaultTo("trusted"))
    .execute();
}
