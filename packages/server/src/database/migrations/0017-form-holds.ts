import { type Kysely, sql } from "kysely";

/**
 * Legal holds on forms, as JSON (`forms/form-hold.ts`); null: there is none. In the row that goes with the submissions, so that each
 * statement that deletes some can ask for it, also on a cluster. A process of an older version knows no hold: set one when none runs.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("form_count").addColumn("hold", "text").execute();
  await database.schema
    .createIndex("form_count_hold")
    .on("form_count")
    .column("form_id")
    .where(sql.ref("hold"), "is not", null)
    .execute();
}
