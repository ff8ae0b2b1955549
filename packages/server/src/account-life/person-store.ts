import type { AccountId } from "@sealpost/wire";
import { findMove } from "../accounts/address-move-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";

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

/** The organization with their id has the person's name too, until it is renamed or others belong to it. False if nothing changes. */
export async function renamePerson(
  transaction: DatabaseTransaction,
  personId: AccountId,
  name: string,
): Promise<boolean> {
  const person = await transaction
    .selectFrom("person")
    .select("name")
    .where("id", "=", personId)
    .executeTakeFirstOrThrow();
  if (person.name === name) return false;
  const { count } = await transaction
    .selectFrom("member")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("organization_id", "=", personId)
    .executeTakeFirstOrThrow();
  await transaction.updateTable("person").set({ name }).where("id", "=", personId).execute();
  if (Number(count) <= 1)
    await transaction
      .updateTable("organization")
      .set({ name })
      .where("id", "=", personId)
      .where("name", "=", person.name)
      .execute();
  return true;
}
