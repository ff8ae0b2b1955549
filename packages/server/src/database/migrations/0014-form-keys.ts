import { type Kysely, sql } from "kysely";
import { changeKeysOfEmptyTables } from "../form-keys.ts";
import { kindOf } from "../kind.ts";

/**
 * An attempt's form; empty in rows from before, and in those that an older process writes alongside this one. On PostgreSQL the
 * keys of a submission's tables end with the form from here on (docs/decisions/0020-keys-with-the-form.md): at once where
 * nobody has an account, so that these tables are empty, and else step by step while the database is served (`change-keys.ts`).
 */
export async function up(database: Kysely<never>): Promise<void> {
  await database.schema
    .alterTable("attempt")
    .addColumn("form_id", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  if (kindOf(database) === "sqlite") return;
  const { rows } = await sql`select 1 from account_holder limit 1`.execute(database);
  if (rows.length === 0) await changeKeysOfEmptyTables(database);
}
