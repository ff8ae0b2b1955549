import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { removeLastRows } from "../database/remove-rows.ts";

/**
 * Removes a person, and all that goes with them as the records of the tables say; invitations to their address where it is given.
 * Memberships, and the organization with their id, have ended before.
 */
export async function removePersonRows(
  transaction: DatabaseTransaction,
  person: { readonly id: AccountId; readonly email?: string },
): Promise<void> {
  await removeLastRows(transaction, "person", person);
  await transaction.updateTable("organization").set({ left_by: null }).where("left_by", "=", person.id).execute();
  await transaction.deleteFrom("person").where("id", "=", person.id).execute();
}

/** Removes an account that was made a moment ago for an invitation that nobody can accept any more: it has done nothing yet. */
export async function removeNewAccount(database: Database, personId: AccountId): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("audit_entry").where("account_id", "=", personId).execute();
    await transaction.deleteFrom("organization").where("id", "=", personId).execute();
    await removePersonRows(transaction, { id: personId });
  });
}
