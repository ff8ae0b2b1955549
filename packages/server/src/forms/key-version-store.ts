import type { FormId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";

/** When the version was made that is so many from the newest, if that was within a day. */
export async function findVersionFromEnd(
  transaction: DatabaseTransaction,
  formId: FormId,
  count: number,
  now: number,
): Promise<number | undefined> {
  const row = await transaction
    .selectFrom("form_key")
    .select("created_at")
    .where("form_id", "=", formId)
    .where("created_at", ">", now - dayMilliseconds)
    // A later time comes from a clock that was wrong.
    .where("created_at", "<=", now + waitedMax)
    .orderBy("created_at", "desc")
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.created_at);
}
