import type { Kysely } from "kysely";

/**
 * From when on a version of a form's key takes nothing more (docs/decisions/0031-several-readers.md). A process of an older version does
 * not read it: what it is sent for a closed version it stores, until the last of them has ended.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("form_key").addColumn("closes_at", "bigint").execute();
}
