import type { FormId } from "@sealpost/wire";
import { type RawBuilder, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/**
 * Rows of a form that readers see: its submissions, or those in its bin. A bulk delete takes any number of them away by
 * raising `form_count.visible_from`, and emptying the bin by raising `form_bin.visible_from`; their rows go later, in batches.
 */
export function visibleRows(
  database: Database | DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
) {
  return boundRows(database, formId, table, sql.ref("received_at"), sql.ref("binned_at"));
}

/** Rows of a form's bin that readers see, for a query along the time at which they were moved there: the plus is as below. */
export function visibleBinRows(database: Database | DatabaseTransaction, formId: FormId) {
  return boundRows(database, formId, "submission_bin", sql`+received_at`, sql.ref("binned_at"));
}

/** The same for a query that names ids: after a plus no index serves the times, for which SQLite would walk through the whole form. */
export function visibleNamedRows(
  database: Database | DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
) {
  return boundRows(database, formId, table, sql`+received_at`, sql`+binned_at`);
}

function boundRows(
  database: Database | DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
  receivedAt: RawBuilder<unknown>,
  binnedAt: RawBuilder<unknown>,
) {
  const visibleFrom = database.selectFrom("form_count").select("visible_from").where("form_id", "=", formId);
  const rows = database.selectFrom(table).where("form_id", "=", formId).where(receivedAt, ">=", visibleFrom);
  if (table === "submission") return rows;
  const binVisibleFrom = database.selectFrom("form_bin").select("visible_from").where("form_id", "=", formId);
  return rows.where(binnedAt, ">=", binVisibleFrom);
}
