import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";

/**
 * Removes the names of a person who is a member no longer from next to the signed lists, under every id that they had: their account goes. The name of one who
 * is a member still goes with the entry that removes them, since nothing would be sealed for them until then (SPECIFICATION.md section 14).
 */
export async function removeFormerNames(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await transaction
    .deleteFrom("list_name")
    .where("is_present", "=", 0)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb("member_id", "=", personId),
        eb("member_id", "in", selectFrom("former_person_id").select("id").where("person_id", "=", personId)),
      ]),
    )
    .execute();
}
