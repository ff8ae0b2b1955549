import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import {
  type AddressMove,
  deleteMove,
  suspectMilliseconds,
  takenBackMilliseconds,
  undoMilliseconds,
} from "./address-move-store.ts";

/** The address before takes the account back. That it was moved is remembered as long as a change made meanwhile could be looked at. */
export async function endUndoneMove(
  transaction: DatabaseTransaction,
  { personId, begunAt }: Pick<AddressMove, "personId" | "begunAt">,
  now: number,
): Promise<void> {
  await deleteMove(transaction, personId);
  await transaction
    .insertInto("undone_move")
    .values({ person_id: personId, begun_at: begunAt, undone_at: now })
    .execute();
}

/** Removes one batch of the moves that were undone so long ago that no change is looked at for them any more. False when there was none. */
export const createRemoveUndoneMoves = (database: Database) =>
  createRowRemoval(database, {
    table: "undone_move",
    key: ["person_id", "undone_at"],
    by: "undone_at",
    isDue: (now, name) => sql`${name("undone_at")} < ${now - takenBackMilliseconds}`,
  });

/**
 * Moves that can be undone, or were within the last nine days: those of the person, and of people who changed members of the organization.
 * A form is not handed over by what they gave before `suspectedUntil`.
 */
export async function listMoves(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
  now: number,
): Promise<readonly SuspectedMove[]> {
  // Asked for each of the few moves, not by listing everybody who has ever changed a member.
  const hasChanged = (id: "address_move.person_id" | "undone_move.person_id") =>
    transaction
      .selectFrom("member_change")
      .select("number")
      .where("made_by", "=", sql.ref<string>(id))
      .where("organization_id", "=", organizationId);
  const undoable = await transaction
    .selectFrom("address_move")
    .select(["person_id", "created_at", "moved_at"])
    .where("moved_at", ">", now - undoMilliseconds)
    .where(({ eb, or, exists }) => or([eb("person_id", "=", personId), exists(hasChanged("address_move.person_id"))]))
    .execute();
  const undone = await transaction
    .selectFrom("undone_move")
    .selectAll()
    .where("undone_at", ">", now - takenBackMilliseconds)
    .where(({ eb, or, exists }) => or([eb("person_id", "=", personId), exists(hasChanged("undone_move.person_id"))]))
    .execute();
  const suspect = (id: string, begunAt: number) => ({
    personId: id as AccountId, // only ids are written there
    ...{ begunAt, since: begunAt - suspectMilliseconds },
  });
  return [
    ...undoable.map((row) => ({
      ...suspect(row.person_id, Number(row.created_at)),
      ...{ undoneAt: undefined, suspectedUntil: Number(row.moved_at) + undoMilliseconds },
    })),
    ...undone.map((row) => ({
      ...suspect(row.person_id, Number(row.begun_at)),
      ...{ undoneAt: Number(row.undone_at), suspectedUntil: Number(row.undone_at) + undoMilliseconds },
    })),
  ];
}

export interface SuspectedMove {
  readonly personId: AccountId;
  readonly begunAt: number;
  /** Everything done in the account since then is suspected, until it was undone. */
  readonly since: number;
  readonly undoneAt: number | undefined;
  readonly suspectedUntil: number;
}
