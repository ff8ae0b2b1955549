import type { AccountId } from "@sealpost/wire";
import { findMove } from "../accounts/address-move-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/** A person as they see themselves. */
export async function describeAccount(database: Database, personId: AccountId, now: number) {
  const person = await database
    .selectFrom("account_holder")
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

/** An organization that has its name from the person keeps it where others belong to it. False if nothing changes. */
export async function renamePerson(
  transaction: DatabaseTransaction,
  personId: AccountId,
  name: string,
): Promise<boolean> {
  const person = await transaction
    .selectFrom("account_holder")
    .select(["name", "organization_name"])
    .where("id", "=", personId)
    .executeTakeFirstOrThrow();
  if (person.name === name) return false;
  const { count } = await transaction
    .selectFrom("member")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("organization_id", "=", personId)
    .executeTakeFirstOrThrow();
  const kept = Number(count) > 1 ? (person.organization_name ?? person.name) : person.organization_name;
  await transaction
    .updateTable("account_holder")
    .set({ name, organization_name: kept })
    .where("id", "=", personId)
    .execute();
  return true;
}
