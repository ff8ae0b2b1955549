import { type AccountId, type FormId, isId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { requireNotHeld } from "./form-hold-store.ts";

/** A form's state when it was deleted. */
export interface RemovedForm {
  readonly id: FormId;
  readonly name: string;
  readonly submissions: number;
}

export interface FormRemoval {
  /**
   * Takes the form away from every reader, writer and sender, and leaves its other rows to the purge. Returns how many
   * submissions it had; `undefined` when the account has no such form. Throws while a legal hold keeps it.
   */
  remove(
    accountId: AccountId,
    formId: string,
    now: number,
    record?: (transaction: DatabaseTransaction, removed: RemovedForm) => Promise<void>,
  ): Promise<number | undefined>;
}

export const createRemoveForm =
  (database: Database): FormRemoval["remove"] =>
  async (accountId, formId, now, record) => {
    if (!isId("form", formId)) return undefined;
    return database.transaction().execute(async (transaction) => {
      const removed = await removeForm(transaction, accountId, formId, now);
      if (removed !== undefined) await record?.(transaction, removed);
      return removed?.submissions;
    });
  };

/** The same in a transaction that looks at something else as well. */
export async function removeForm(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  formId: FormId,
  now: number,
): Promise<RemovedForm | undefined> {
  await lockForm(transaction, formId, "remove");
  const removed = await transaction
    .selectFrom("form")
    .select("name")
    .where("account_id", "=", accountId)
    .where("id", "=", formId)
    .executeTakeFirst();
  if (removed === undefined) return undefined;
  await requireNotHeld(transaction, formId);
  await transaction
    .updateTable("account_count")
    .set({ forms: sql`forms - 1` })
    .where("account_id", "=", accountId)
    .execute();
  const count = await transaction
    .deleteFrom("form_count")
    .where("form_id", "=", formId)
    .where("hold", "is", null)
    .returning("stored")
    .executeTakeFirstOrThrow();
  // After its counts, which a hold keeps.
  await transaction.deleteFrom("form").where("id", "=", formId).execute();
  const bin = await transaction
    .selectFrom("form_bin")
    .select("stored")
    .where("form_id", "=", formId)
    .executeTakeFirst();
  // Without its webhook row no queued delivery of the form is ever claimed again; the purge removes the queue's rows.
  await transaction.deleteFrom("webhook").where("form_id", "=", formId).execute();
  await transaction.insertInto("form_purge").values({ form_id: formId, requested_at: now }).execute();
  return { id: formId, name: removed.name, submissions: count.stored + (bin?.stored ?? 0) };
}
