import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { takeLocks } from "../database/advisory-lock.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import type { Instant } from "./mail.ts";
import { hashMailbox, strangerEmailsPerDay } from "./recipient.ts";

/**
 * Emails to one mailbox are counted one after the other: until the transaction ends, another one that wants to know waits, and then counts
 * this one's. A statement of its own, before the one that counts; and after all other locks, so that nobody who has it waits for another.
 */
export function lockMailbox(transaction: DatabaseTransaction, address: string): Promise<void> {
  return takeLocks(transaction, [{ name: `mailbox/${hashMailbox(address)}`, mode: "alone" }]);
}

/** Whether an address may get another email because somebody else entered it. Ask in the transaction that queues it. */
export async function mayEmailStranger(
  transaction: DatabaseTransaction,
  address: string,
  now: Instant,
): Promise<boolean> {
  await lockMailbox(transaction, address);
  const rows = await transaction
    .selectFrom("mail")
    .select("id")
    .where("recipient", "=", hashMailbox(address))
    .where("created_at", ">", now - dayMilliseconds)
    .where("created_at", "<=", now + waitedMax)
    .limit(strangerEmailsPerDay)
    .execute();
  return rows.length < strangerEmailsPerDay;
}

/** The address of an account that was never verified, and so may be somebody else's; `undefined` for one that was. */
export async function findUnprovenAddress(
  transaction: DatabaseTransaction,
  accountId: AccountId,
): Promise<string | undefined> {
  const row = await transaction
    .selectFrom("person")
    .select("email")
    .where("id", "=", accountId)
    .where("email_verified", "=", sql<boolean>`(1 = 0)`)
    .executeTakeFirst();
  return row?.email;
}

/** Whether an account may get another email at its own address: as many as a stranger, until the address is verified. */
export async function mayEmailAccount(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  now: Instant,
): Promise<boolean> {
  const address = await findUnprovenAddress(transaction, accountId);
  return address === undefined || mayEmailStranger(transaction, address, now);
}
