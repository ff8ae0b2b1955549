import type { Kysely } from "kysely";

/**
 * Whether a developer chose the address of a form's webhook, and nobody who may read the form's submissions has agreed to it since.
 * A process of an older version does not write it: what it changes counts as agreed to, or is asked for once more.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("webhook")
    .addColumn("by_developer", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}
