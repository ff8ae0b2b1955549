import type { Kysely } from "kysely";

/**
 * `sequence` of a tombstone is an `integer`, which on PostgreSQL ends at 2,147,483,647; a submission's is a `bigint`. Making the
 * column wider would rewrite a table that grows with the submissions while nobody may write it, so the whole number is in
 * a column of its own. Rows without it are of before, or of a process of before that still serves: their `sequence` is whole.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("submission_tombstone").addColumn("wide_sequence", "bigint").execute();
}
