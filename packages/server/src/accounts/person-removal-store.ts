import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/**
 * Removes a person, and with their row what refers to it: sessions, credentials, keys. Memberships, and the organization with their
 * id, have ended before.
 */
export async function removePersonRows(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await removeEmails(transaction, personId);
  await transaction.deleteFrom("verification").where("value", "=", personId).execute();
  for (const table of ["email_opt_out", "mail_wanted"] as const)
    await transaction.deleteFrom(table).where("id", "=", personId).execute();
  await transaction.deleteFrom("audit_head").where("account_id", "=", personId).execute();
  await transaction.deleteFrom("person").where("id", "=", personId).execute();
}

/** Emails to a person or about an organization that wait, or are remembered. */
export async function removeEmails(transaction: DatabaseTransaction, accountId: AccountId): Promise<void> {
  await transaction
    .deleteFrom("mail_gathered")
    .where("mail_id", "in", ({ selectFrom }) =>
      selectFrom("mail").select("mail.id").where("mail.account_id", "=", accountId),
    )
    .execute();
  await transaction.deleteFrom("mail").where("account_id", "=", accountId).execute();
}

/** Removes an account that was made a moment ago for an invitation that nobody can accept any more: it has done nothing yet. */
export async function removeNewAccount(database: Database, personId: AccountId): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("audit_entry").where("account_id", "=", personId).execute();
    await transaction.deleteFrom("organization").where("id", "=", personId).execute();
    await removePersonRows(transaction, personId);
  });
}
