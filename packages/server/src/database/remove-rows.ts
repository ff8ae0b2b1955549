import { sql } from "kysely";
import type { DatabaseTransaction } from "./database.ts";
import type { OwnerTable } from "./table-record.ts";
import { leadsTo } from "./table-records.ts";

/**
 * Removes the rows of an owner whose records say that they go last, with a statement for each lead. Rows found by an address are only
 * removed where it is given.
 */
export async function removeLastRows(
  transaction: DatabaseTransaction,
  owner: OwnerTable,
  { id, email }: { readonly id: string; readonly email?: string },
): Promise<void> {
  for (const lead of leadsTo(owner)) {
    const value = "key" in lead ? email : id;
    if (lead.goes !== "last" || value === undefined) continue;
    const table = lead.table as "form_day"; // whichever it is: `by` is one of its columns
    await transaction.deleteFrom(table).where(sql.ref(lead.by), "=", value).execute();
  }
}
