import type { FormId } from "@sealpost/wire";
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
  const rows = database
    .selectFrom(table)
    .where("form_id", "=", formId)
    .where("received_at", ">=", ({ selectFrom }) =>
      selectFrom("form_count").select("form_count.visible_from").where("form_count.form_id", "=", formId),
    );
  if (table === "submission") return rows;
  return rows.where("binned_at", ">=", ({ selectFrom }) =>
    selectFrom("form_bin").select("form_bin.visible_from").where("form_bin.form_id", "=", formId),
  );
}
