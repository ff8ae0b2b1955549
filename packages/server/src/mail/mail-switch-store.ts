import { type AccountId, isId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { holdForms } from "../database/lock.ts";

/** Who wants mails about new submissions and failing webhooks: everybody who did not switch them off. */
export interface MailSwitchStore {
  /** Whether the owner wants mails about the form; `undefined` when the account has no such form. */
  isWanted(accountId: AccountId, formId: string): Promise<boolean | undefined>;
  /** False when the account has no such form. What came while no mails were wanted is not told later. */
  setWanted(accountId: AccountId, formId: string, isWanted: boolean): Promise<boolean>;
  /** The same for all forms of the account at once. A form's own switch counts beside it. */
  isAccountWanted(accountId: AccountId): Promise<boolean>;
  setAccountWanted(accountId: AccountId, isWanted: boolean): Promise<void>;
}

export function createMailSwitchStore(database: Database): MailSwitchStore {
  return {
    async isWanted(accountId, formId) {
      if (!isId("form", formId)) return undefined;
      const row = await database
        .selectFrom("form")
        .leftJoin("mail_refusal", "mail_refusal.id", "form.id")
        .select("mail_refusal.id")
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      return row && row.id === null;
    },
    async setWanted(accountId, formId, isWanted) {
      if (!isId("form", formId)) return false;
      return database.transaction().execute(async (transaction) => {
        await holdForms(transaction, [formId], "mine");
        const form = await transaction
          .selectFrom("form")
          .select("id")
          .where("account_id", "=", accountId)
          .where("id", "=", formId)
          .executeTakeFirst();
        if (form === undefined) return false;
        await switchMails(transaction, formId, isWanted, [formId]);
        return true;
      });
    },
    async isAccountWanted(accountId) {
      const row = await database.selectFrom("mail_refusal").select("id").where("id", "=", accountId).executeTakeFirst();
      return row === undefined;
    },
    async setAccountWanted(accountId, isWanted) {
      await database.transaction().execute(async (transaction) => {
        const forms = await transaction.selectFrom("form").select("id").where("account_id", "=", accountId).execute();
        await switchMails(
          transaction,
          accountId,
          isWanted,
          forms.map(({ id }) => id),
        );
      });
    },
  };
}

/** Writes the switch of a form or an account, and what follows for the forms that it is about. */
async function switchMails(
  transaction: DatabaseTransaction,
  id: string,
  isWanted: boolean,
  formIds: readonly string[],
): Promise<void> {
  if (!isWanted) {
    await transaction
      .insertInto("mail_refusal")
      .values({ id })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
    await transaction
      .deleteFrom("mail")
      .where(isOneOf(transaction, "form_id", formIds))
      .where("kind", "in", ["submissions", "webhook_failing"])
      .where("claim_token", "is", null)
      .execute();
    return;
  }
  const ended = await transaction.deleteFrom("mail_refusal").where("id", "=", id).executeTakeFirst();
  if (ended.numDeletedRows === 0n) return;
  await transaction
    .updateTable("form_notice")
    .set(({ selectFrom, fn }) => ({
      received: fn.coalesce(
        selectFrom("form_count")
          .select("form_count.received")
          .whereRef("form_count.form_id", "=", "form_notice.form_id"),
        "form_notice.received",
      ),
    }))
    .where(isOneOf(transaction, "form_id", formIds))
    .execute();
}
