import type { DatabaseTransaction } from "../database/database.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { Instant } from "./mail.ts";
import { hashMailbox, strangerEmailsPerDay } from "./recipient.ts";

/** Whether an address may get another email because somebody else entered it. Ask in the transaction that queues it. */
export async function mayEmailStranger(
  transaction: DatabaseTransaction,
  address: string,
  now: Instant,
): Promise<boolean> {
  const rows = await transaction
    .selectFrom("mail")
    .select("id")
    .where("recipient", "=", hashMailbox(address))
    .where("created_at", ">", now - dayMilliseconds)
    // A later time comes from a clock that was wrong.
    .where("created_at", "<=", now)
    .limit(strangerEmailsPerDay)
    .execute();
  return rows.length < strangerEmailsPerDay;
}
