import { type SqlBool, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/**
 * Whether the submission of an event was deleted while its body is still needed, or not yet wiped: it waits to be sent
 * (`event.wipe`), or its row is hidden by a bulk deletion and waits for the purge, for as long as a legal hold lasts. Nobody
 * reads it any more, and it is not sent again.
 */
export async function isContentDeleted(
  database: Database | DatabaseTransaction,
  formId: string,
  eventId: string,
): Promise<boolean> {
  // The form is named in each part: on a cluster all of them are on its server. After a plus no index serves the times.
  const { rows } = await sql<{ readonly id: string }>`
    select e.id from event e
    where e.form_id = ${formId} and e.id = ${eventId} and (e.wipe = 1 or ${isHidden("submission", formId)}
      or ${isHidden("submission_bin", formId)} or exists (
        select 1 from submission_bin stored join form_bin bin on bin.form_id = stored.form_id
        where stored.form_id = ${formId} and stored.id = e.submission_id and +stored.binned_at < bin.visible_from))`.execute(
    database,
  );
  return rows.length > 0;
}

function isHidden(table: "submission" | "submission_bin", formId: string) {
  return sql<SqlBool>`exists (
    select 1 from ${sql.table(table)} stored join form_count counted on counted.form_id = stored.form_id
    where stored.form_id = ${formId} and stored.id = e.submission_id and +stored.received_at < counted.visible_from)`;
}
