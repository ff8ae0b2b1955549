import type { Kysely } from "kysely";

/**
 * The body of `submission.created` is built from the submission's row (docs/decisions/0017-bodies-from-rows.md). Columns that
 * may be null: on PostgreSQL, too, this rewrites no row.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable("event").addColumn("body_layout", "integer").execute();
  await schema.alterTable("event").addColumn("form_name", "text").execute();
}
