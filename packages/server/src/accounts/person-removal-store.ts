import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import { removeLastRows } from "../database/remove-rows.ts";
import { removeFormerNames } from "./list-name-removal-store.ts";

/**
 * Removes a person, and all that goes with them as the records of the tables say; invitations to their address where it is given.
 * Memberships, and the organization with their id, have ended before.
 */
export async function removePersonRows(
  transaction: DatabaseTransaction,
  person: { readonly id: AccountId; readonly email?: string },
): Promise<void> {
  // While their former ids are known.
  await removeFormerNames(transaction, person.id);
  await removeLastRows(transaction, "person", person);
  await transaction.updateTable("organization").set({ left_by: null }).where("left_by", "=", person.id).execute();
  await transaction.deleteFrom("person").where("id", "=", person.id).execute();
}
