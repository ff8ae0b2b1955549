import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { isProven } from "../database/membership.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import { countedWith } from "./action-bounds.ts";
import type { NewAuditEntry } from "./audit-entry.ts";
import { type entriesOfDay, findPerson, ownOfDay } from "./own-entries-store.ts";

const changesPerDay = 5000;
/**
 * So many changes by all persons of an organization are counted by their numbers, which is one look: nobody has made `changesPerDay` where they
 * have not. Lower, since changes of the same moment may share a number.
 */
const uncountedPerDay = 0.8 * changesPerDay;
/** Many times those that are under way in the processes of an instance, each with ten connections at most. */
const countedBack = 200;
/** Most changes by all persons of an organization together; its owners have room beyond that. */
const organizationChangesPerDay = 4 * changesPerDay;

/** The entry's number among the changes of its organization; `undefined`: it is no change that has a bound. Throws beyond one. */
export async function numberWithinBounds(
  database: Database | DatabaseTransaction,
  entry: NewAuditEntry,
): Promise<number | undefined> {
  const { accountId, action, actor, occurredAt } = entry;
  const alike = countedWith(action);
  if (alike === undefined || (actor.type !== "session" && actor.type !== "api_key")) return undefined;
  const personId = await findPerson(database, actor);
  const number = await nextChangeNumber(database, entry);
  const atOf = (before: number) => findTime(database, entry, number - before);
  const dayAgo = occurredAt - dayMilliseconds;
  if (((await atOf(uncountedPerDay)) ?? dayAgo) > dayAgo) {
    const first = await findChange(ownOfDay(database, entry, personId).where("action", "in", alike), changesPerDay);
    if (first !== undefined) throw tooManyChanges(changesPerDay, first, occurredAt);
  }
  if (await isOwner(database, accountId, personId)) return number;
  const at = await atOf(organizationChangesPerDay);
  // A later time comes from a clock that was wrong.
  if (at !== undefined && at > dayAgo && at <= occurredAt + waitedMax)
    throw tooManyChanges(organizationChangesPerDay, at, occurredAt);
  return number;
}

/** When the organization's change with this number was made, or the newest before it. */
async function findTime(
  database: Database | DatabaseTransaction,
  entry: NewAuditEntry,
  number: number,
): Promise<number | undefined> {
  const row = await changesOf(database, entry)
    .select("occurred_at")
    .where("change_number", "<=", number)
    .executeTakeFirst();
  return row && Number(row.occurred_at);
}

/**
 * One more than that of the newest. On PostgreSQL, changes that are made in the same moment get the same one: to wait for each other they
 * would have to lock the organization. One more than the newest would then be one for all of them together, however many, so
 * there it is counted from an earlier one, with all that came in between: only those that are under way are missed.
 */
async function nextChangeNumber(database: Database | DatabaseTransaction, entry: NewAuditEntry): Promise<number> {
  const newest = changesOf(database, entry).select("change_number");
  const { first, count } = await database
    .selectFrom(newest.limit(kindOf(database) === "sqlite" ? 1 : countedBack).as("newest"))
    .select(({ fn }) => [fn.min("change_number").as("first"), fn.countAll<number>().as("count")])
    .executeTakeFirstOrThrow();
  return first === null ? 1 : Number(first) + Number(count);
}

/** The organization's newest change by a session, or by an API key. */
function changesOf(database: Database | DatabaseTransaction, { accountId, actor }: NewAuditEntry) {
  return database
    .selectFrom("audit_entry")
    .where("account_id", "=", accountId)
    .where("actor", "=", actor.type)
    .where("change_number", "is not", null)
    .orderBy("change_number", "desc")
    .limit(1);
}

/** The time of the change that was made so many ago, the newest being 1. */
async function findChange(changes: ReturnType<typeof entriesOfDay>, count: number): Promise<number | undefined> {
  const row = await changes
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.occurred_at);
}

function tooManyChanges(max: number, first: number, now: number): Problem {
  const seconds = Math.ceil((first + dayMilliseconds - now) / 1000);
  return new Problem("rate_limited", `An account makes at most ${max} changes within a day`, {
    retryAfter: Math.max(1, seconds),
  });
}

async function isOwner(
  database: Database | DatabaseTransaction,
  accountId: AccountId,
  personId: AccountId | undefined,
): Promise<boolean> {
  if (personId === undefined) return true;
  const row = await database
    .selectFrom("member")
    .select("role")
    .where(isProven("member"))
    .where("organization_id", "=", accountId)
    .where("person_id", "=", personId)
    .executeTakeFirst();
  return row?.role === "owner";
}
