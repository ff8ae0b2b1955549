import { type ColumnDataType, type Kysely, sql } from "kysely";
import { kindOf } from "../kind.ts";

const number: ColumnDataType = "bigint";

/**
 * How many bytes each form stores (docs/decisions/0016-quotas.md). On SQLite, where nobody serves the database meanwhile, what is
 * there is counted here, in one pass that reads no overflow page. On PostgreSQL older processes keep running meanwhile, and write
 * without counting: there each form is counted in the background (`usage-store.ts`), again after a day.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable("form_count")
    .addColumn("bytes", number, (c) => c.notNull().defaultTo(0))
    .execute();
  // When the count is compared with the rows; null once that found no difference, 0 before the first time.
  await schema
    .alterTable("form_count")
    .addColumn("bytes_check_at", number, (c) => c.defaultTo(0))
    .execute();
  await schema
    .createIndex("form_count_check")
    .on("form_count")
    .column("bytes_check_at")
    .where(sql.ref("bytes_check_at"), "is not", null)
    .execute();
  // At the least so much an account may store, whatever its plan: four times what it had at the upgrade.
  await schema
    .createTable("account_quota")
    .addColumn("account_id", "text", (c) => c.primaryKey().references("account_holder.id").onDelete("cascade"))
    .addColumn("granted", number, (c) => c.notNull())
    .execute();
  // The last notices to owners: 80 or 100 per cent, of an account or of a form. No row is neither.
  await schema
    .createTable("quota_notice")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("level", "integer", (c) => c.notNull())
    .execute();
  if (kindOf(database) === "postgres") return;
  await sql`
    update form_count set bytes = found.bytes from (
      select form_id, sum(512 + coalesce(octet_length(data), 0) + coalesce(octet_length("key"), 0)
        + coalesce(octet_length(iv), 0) + coalesce(octet_length(fields), 0)) as bytes
      from submission not indexed group by form_id
    ) as found where found.form_id = form_count.form_id`.execute(database);
  await sql`update form_count set bytes_check_at = null`.execute(database);
  await sql`
    insert into account_quota (account_id, granted)
    select form.account_id, 4 * sum(form_count.bytes) from form join form_count on form_count.form_id = form.id
    group by form.account_id having sum(form_count.bytes) > 0`.execute(database);
}
