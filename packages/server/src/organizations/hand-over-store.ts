import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { isUniqueViolation } from "../database/errors.ts";
import { parseFormIds } from "../database/membership.ts";
import { formsMax } from "../forms/form.ts";
import { forgetNotifiedOfForm } from "../mail/notified-marks-store.ts";

/**
 * Gives a form of one organization to another one. Members of the first no longer name it, so they do not reach it again if it
 * comes back. After `name_taken` and `too_many` the transaction must be given up.
 */
export async function handOver(
  transaction: DatabaseTransaction,
  formId: FormId,
  { from, to }: { readonly from: AccountId; readonly to: AccountId },
): Promise<"handed_over" | "name_taken" | "too_many"> {
  try {
    await transaction.updateTable("form").set({ account_id: to }).where("id", "=", formId).execute();
  } catch (error) {
    if (isUniqueViolation(error)) return "name_taken";
    throw error;
  }
  await transaction
    .updateTable("account_count")
    .set({ forms: sql`forms - 1` })
    .where("account_id", "=", from)
    .execute();
  const { forms } = await transaction
    .insertInto("account_count")
    .values({ account_id: to, forms: 1 })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ forms: sql`account_count.forms + 1` }))
    .returning("forms")
    .executeTakeFirstOrThrow();
  if (forms > formsMax) return "too_many";
  await transaction
    .updateTable("mail")
    .set({ account_id: to })
    .where("form_id", "=", formId)
    .where("finished_at", "is", null)
    .execute();
  await forgetNotifiedOfForm(transaction, formId);
  await forgetForm(transaction, from, formId);
  return "handed_over";
}

/** The tables whose rows name forms of an organization, and the column with its id. An API key that is left with no form reaches none. */
const namesForms = [
  ["member", "organization_id"],
  ["invitation", "organization_id"],
  ["api_key", "account_id"],
] as const;

async function forgetForm(transaction: DatabaseTransaction, organizationId: AccountId, formId: FormId): Promise<void> {
  for (const [name, owner] of namesForms) {
    const [table, column] = [sql.table(name), sql.ref(owner)];
    const { rows } = await sql<{ readonly form_ids: string }>`
      select distinct form_ids from ${table}
      where ${column} = ${organizationId} and form_ids like ${`%${formId}%`}`.execute(transaction);
    for (const { form_ids } of rows) {
      const left = JSON.stringify(parseFormIds(form_ids).filter((id) => id !== formId));
      await sql`
        update ${table} set form_ids = ${left}
        where ${column} = ${organizationId} and form_ids = ${form_ids}`.execute(transaction);
    }
  }
}
