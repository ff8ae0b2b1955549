import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRowId } from "../database/row-id.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { actionBounds, repeatedActions } from "./action-bounds.ts";
import type { NewAuditEntry } from "./audit-entry.ts";
import { boundDetails } from "./bound-details.ts";
import { numberWithinBounds } from "./change-bounds-store.ts";
import { entriesOfDay, findPerson, hasMore, isGiven, ownOfDay } from "./own-entries-store.ts";

/** Reading in a loop (a program that exports every minute) is recorded once in this time, or it would bury the rest. */
const repeatMilliseconds = hourMilliseconds;

/** Entries about what a person has read, or was refused, in one log within a day: beyond it they say less, and none is refused. */
export const repeatedPerDay = 2000;

/**
 * Writes an entry, into the transaction of what it tells where there is one: either both happened or neither did. Throws a
 * problem when the account has changed so much within a day that nothing more is to be done.
 */
export async function recordAction(database: Database | DatabaseTransaction, entry: NewAuditEntry): Promise<void> {
  const changeNumber = await numberWithinBounds(database, entry);
  const { accountId, action, actor, occurredAt, target, count } = entry;
  const details = boundDetails(entry.details);
  await database
    .insertInto("audit_entry")
    .values({
      id: createRowId("aud", occurredAt),
      account_id: accountId,
      occurred_at: occurredAt,
      action,
      actor: actor.type,
      actor_id: "id" in actor ? actor.id : null,
      target_id: target?.id ?? null,
      target_name: target !== undefined && "name" in target ? target.name : null,
      count: count ?? null,
      details: details === undefined ? null : JSON.stringify(details),
      person_id: "personId" in actor ? (actor.personId ?? null) : null,
      change_number: changeNumber ?? null,
    })
    .execute();
}

/**
 * Like `recordAction`, unless the same reader did the same to the same thing within the last hour. `false`: so much was recorded for them
 * within a day that nothing but the action is, once an hour, whatever it was done to. Who signs in again, or makes another API key, is no other reader.
 */
export async function recordRepeated(database: Database, entry: NewAuditEntry): Promise<boolean> {
  const { action, actor, occurredAt } = entry;
  const personId = await findPerson(database, actor);
  const own = ownOfDay(database, entry, personId);
  const isBounded = actor.type === "session" || actor.type === "api_key";
  const isBeyond = isBounded && (await hasMore(own.where("action", "in", repeatedActions), repeatedPerDay - 1));
  const kept = isBeyond ? { ...entry, target: undefined } : entry;
  const isByPerson = isBeyond || (actor.type === "session" && actionBounds[action] === "reading");
  const byReader = isByPerson
    ? own
    : entriesOfDay(database, entry).where(isGiven("actor_id", "id" in actor ? actor.id : undefined));
  const same = byReader
    .where("action", "=", action)
    .where("occurred_at", ">", occurredAt - repeatMilliseconds)
    .where("target_id", "is not distinct from", kept.target?.id ?? null);
  if (!(await hasMore(same, 0))) await recordAction(database, kept);
  return !isBeyond;
}
