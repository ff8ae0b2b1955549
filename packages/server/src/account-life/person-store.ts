import type { AccountId } from "@sealpost/wire";
import { findMove } from "../accounts/address-move-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockPerson } from "../database/lock.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";

/** A person as they see themselves. */
export async function describeAccount(database: Database, personId: AccountId, now: number) {
  const person = await database
    .selectFrom("person")
    .select(["name", "email", "leaves_at"])
    .where("id", "=", personId)
    .executeTakeFirstOrThrow();
  const move = await findMove(database, personId);
  const isWaiting = move !== undefined && move.movedAt === undefined && move.expiresAt > now;
  return {
    ...{ id: personId, name: person.name, email: person.email, deletedAt: person.leaves_at },
    move: isWaiting ? { email: move.newEmail, expiresAt: move.expiresAt } : null,
  };
}

export interface Renamed {
  readonly from: string;
  /** Whether the organization with their id has the new name as well. */
  readonly isOrganizationToo: boolean;
}

/** The organization with their id has the person's name too, until it is renamed or others belong to it. `undefined` if nothing changes. */
export async function renamePerson(
  transaction: DatabaseTransaction,
  personId: AccountId,
  name: string,
): Promise<Renamed | undefined> {
  const person = await lockPerson(transaction, personId);
  if (person === undefined || person.name === name) return undefined;
  const { count } = await transaction
    .selectFrom("member")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("organization_id", "=", personId)
    .executeTakeFirstOrThrow();
  await transaction.updateTable("person").set({ name }).where("id", "=", personId).execute();
  if (Number(count) > 1) return { from: person.name, isOrganizationToo: false };
  const { numUpdatedRows } = await transaction
    .updateTable("organization")
    .set({ name })
    .where("id", "=", personId)
    .where("name", "=", person.name)
    .executeTakeFirstOrThrow();
  return { from: person.name, isOrganizationToo: numUpdatedRows > 0n };
}

/** When the person got the name that is so many names ago, the newest being 1; `undefined` where that is more than a day ago. */
export async function findRename(
  transaction: DatabaseTransaction,
  personId: AccountId,
  count: number,
  now: number,
): Promise<number | undefined> {
  const row = await transaction
    .selectFrom("audit_entry")
    .select("occurred_at")
    .where("account_id", "=", personId)
    .where("action", "=", "account.renamed")
    .where("person_id", "=", personId)
    .where("occurred_at", ">", now - dayMilliseconds)
    // A later time comes from a clock that was wrong.
    .where("occurred_at", "<=", now + waitedMax)
    .orderBy("occurred_at", "desc")
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.occurred_at);
}
