import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";

/** Until the transaction ends, another one that locks the person waits. A write that changes nothing locks on every database. */
export async function lockPerson(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await transaction
    .updateTable("account_holder")
    .set(({ ref }) => ({ plan: ref("plan") }))
    .where("id", "=", personId)
    .execute();
}
