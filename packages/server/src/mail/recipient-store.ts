import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
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
