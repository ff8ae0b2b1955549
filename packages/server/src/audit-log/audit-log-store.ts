import { type AccountId, type ApiKeyId, isId } from "@sealpost/wire";
import {
  type AliasableExpression,
  type ExpressionBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
} from "kysely";
import type { AuditEntryTable } from "../database/audit-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { beyondIndex, rowsLookedAtMax } from "../database/looked-rows.ts";
import { isProven } from "../database/membership.ts";
import { createRowId } from "../database/row-id.ts";
import type { Tables } from "../database/schema.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { actionBounds, countedWith, repeatedActions } from "./action-bounds.ts";
import {
  type AuditAction,
  type AuditActor,
  type AuditDetails,
  type AuditEntry,
  type AuditTarget,
  auditActions,
  type NewAuditEntry,
} from "./audit-entry.ts";
import { boundDetails } from "./bound-details.ts";

/** Reading in a loop (a program that exports every minute) is recorded once in this time, or it would bury the rest. */
const repeatMilliseconds = hourMilliseconds;

const changesPerDay = 5000;
/** Most changes by all persons of an organization together; its owners have room beyond that. */
const organizationChangesPerDay = 4 * changesPerDay;
/** Entries about what a person has read, or was refused, in one log within a day: beyond it they say less, and none is refused. */
export const repeatedPerDay = 2000;

export interface AuditCursor {
  readonly occurredAt: number;
  readonly id: string;
}

export interface AuditQuery {
  readonly limit: number;
  readonly after: AuditCursor | undefined;
  readonly actions?: readonly AuditAction[] | undefined;
  /** A session's or an API key's id. */
  readonly actorId?: string | undefined;
  /** Whose session it was. */
  readonly personId?: string | undefined;
  /** The id of a form, an API key, a session, a member or an invitation. */
  readonly targetId?: string | undefined;
  /** Both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; `undefined` on the last. A page may have fewer than `limit` entries, or none, and others follow. */
  readonly next: AuditCursor | undefined;
}

export interface AuditLogStore {
  /** A page of the account's own entries, newest first. */
  list(accountId: AccountId, query: AuditQuery): Promise<AuditPage>;
}

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

/** The entry's number among the changes of its organization; `undefined`: it is no change that has a bound. Throws beyond one. */
async function numberWithinBounds(
  database: Database | DatabaseTransaction,
  entry: NewAuditEntry,
): Promise<number | undefined> {
  const { accountId, action, actor, occurredAt } = entry;
  const alike = countedWith(action);
  if (alike === undefined || (actor.type !== "session" && actor.type !== "api_key")) return undefined;
  const personId = await findPerson(database, actor);
  const first = await findChange(ownOfDay(database, entry, personId).where("action", "in", alike), changesPerDay);
  if (first !== undefined) throw tooManyChanges(changesPerDay, first, occurredAt);
  const number = await nextChangeNumber(database, entry);
  if (await isOwner(database, accountId, personId)) return number;
  const before = await changesOf(database, entry)
    .select("occurred_at")
    .where("change_number", "<=", number - organizationChangesPerDay)
    .executeTakeFirst();
  if (before === undefined) return number;
  const at = Number(before.occurred_at);
  // A later time comes from a clock that was wrong.
  if (at > occurredAt - dayMilliseconds && at <= occurredAt)
    throw tooManyChanges(organizationChangesPerDay, at, occurredAt);
  return number;
}

/**
 * One more than that of the newest. On PostgreSQL, changes that are made in the same moment may get the same one: to wait for each other
 * they would have to lock the organization, and so few of them run at once that the bound keeps its size.
 */
async function nextChangeNumber(database: Database | DatabaseTransaction, entry: NewAuditEntry): Promise<number> {
  const newest = await changesOf(database, entry).select("change_number").executeTakeFirst();
  return Number(newest?.change_number ?? 0) + 1;
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

/** The person whose session it is, or who made the API key; `undefined` where it was revoked in this moment. */
async function findPerson(database: Database | DatabaseTransaction, actor: AuditActor): Promise<AccountId | undefined> {
  if (actor.type !== "api_key") return "personId" in actor ? actor.personId : undefined;
  if (actor.madeBy !== undefined) return actor.madeBy;
  const row = await database.selectFrom("api_key").select("made_by").where("id", "=", actor.id).executeTakeFirst();
  return row?.made_by as AccountId | undefined; // only ids are written there
}

function keysOf(database: Database | DatabaseTransaction, accountId: AccountId, madeBy: AccountId | undefined) {
  return database
    .selectFrom("api_key")
    .select("api_key.id as value")
    .where("api_key.account_id", "=", accountId)
    .where("api_key.made_by", "=", madeBy ?? "");
}

function keysMadeOfDay(
  database: Database | DatabaseTransaction,
  { accountId, occurredAt }: NewAuditEntry,
  madeBy: AccountId | undefined,
) {
  return database
    .selectFrom("audit_entry as made")
    .select(sql<string>`made.target_id`.as("value")) // each is about the key
    .where("made.account_id", "=", accountId)
    .where("made.occurred_at", ">", occurredAt - dayMilliseconds)
    .where("made.action", "=", "api_key.created")
    .where("made.person_id", "=", madeBy ?? "");
}

/** Entries of a person's sessions, or of the API keys that they made, in the organization within the last day, the newest first. */
function ownOfDay(
  database: Database | DatabaseTransaction,
  entry: NewAuditEntry,
  personId: AccountId | undefined,
): ReturnType<typeof entriesOfDay> {
  const { accountId, actor } = entry;
  if (actor.type !== "api_key") return entriesOfDay(database, entry).where(isGiven("person_id", personId));
  const ids = keysOf(database, accountId, personId)
    // Revoked keys count too: making a new key must not start the day again.
    .union(keysMadeOfDay(database, entry, personId))
    .union(database.selectNoFrom(sql<string>`cast(${actor.id} as text)`.as("value")));
  return entriesOfDay(database, entry, selectAlongEach(database, "actor_id", ids));
}

/** Entries with one of these values: a cross join has SQLite look them up by the column's index, value by value, and at no others. */
function selectAlongEach(
  database: Database | DatabaseTransaction,
  column: "actor_id",
  values: AliasableExpression<{ value: string }>,
) {
  return database
    .selectFrom(values.as("along"))
    .crossJoin("audit_entry")
    .whereRef(`audit_entry.${column}`, "=", "along.value") as unknown as ReturnType<typeof selectEntries>; // one table more
}

/** An index serves it, which it does not on PostgreSQL where one statement asks for either. */
function isGiven(column: "actor_id" | "person_id", value: string | undefined) {
  return ({ eb }: ExpressionBuilder<Tables, "audit_entry">) =>
    value === undefined ? eb(column, "is", null) : eb(column, "=", value);
}

/** Entries of sessions, or of API keys, in the organization within the last day, the newest first. */
function entriesOfDay(
  database: Database | DatabaseTransaction,
  { accountId, actor, occurredAt }: NewAuditEntry,
  entries = selectEntries(database),
) {
  return (
    entries
      .select("occurred_at")
      .where("account_id", "=", accountId)
      .where("actor", "=", actor.type)
      .where("occurred_at", ">", occurredAt - dayMilliseconds)
      // A later time comes from a clock that was wrong.
      .where("occurred_at", "<=", occurredAt)
      .orderBy("occurred_at", "desc")
  );
}

function selectEntries(database: Database | DatabaseTransaction) {
  return database.selectFrom("audit_entry");
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

async function hasMore(entries: ReturnType<typeof entriesOfDay>, count: number): Promise<boolean> {
  return (await entries.offset(count).limit(1).executeTakeFirst()) !== undefined;
}

export function createAuditLogStore(database: Database): AuditLogStore {
  /** Along one index: that of the filter which finds the fewest, as a rule. */
  function selectAlong({ actions, actorId, personId, targetId }: AuditQuery) {
    const entries = database.selectFrom("audit_entry");
    if (targetId !== undefined) return entries.where("target_id", "=", targetId);
    if (actorId !== undefined) return entries.where("actor_id", "=", actorId);
    if (personId !== undefined) return entries.where("person_id", "=", personId);
    const [action] = actions ?? [];
    return action === undefined || actions?.length !== 1 ? entries : entries.where("action", "=", action);
  }

  return {
    async list(accountId, query) {
      const { limit, after, actions, actorId, personId, targetId, from, to } = query;
      const upper = earlier(after, to === undefined ? undefined : { occurredAt: to + 1, id: "" });
      let along = selectAlong(query)
        .where("account_id", "=", accountId)
        .orderBy("occurred_at", "desc")
        .orderBy("id", "desc");
      if (upper !== undefined) along = along.where(isPlace("<", upper));
      const isFiltered = [actions, actorId, personId, targetId].some((filter) => filter !== undefined);
      const looked = from === undefined ? along : along.where(isPlace(">=", { occurredAt: from, id: "" }));
      const end = isFiltered ? await findEnd(looked.select(["occurred_at", "id"])) : undefined;
      const lowest = end ?? (from === undefined ? undefined : { occurredAt: from, id: "" });
      let page = lowest === undefined ? along : along.where(isPlace(">=", lowest));
      if (actions !== undefined) page = page.where(beyondIndex("action"), "in", actions);
      if (actorId !== undefined) page = page.where(beyondIndex("actor_id"), "=", actorId);
      if (personId !== undefined) page = page.where(beyondIndex("person_id"), "=", personId);
      // One more than asked for tells whether there is a next page.
      const rows = await page
        .selectAll()
        .limit(limit + 1)
        .execute();
      const entries = rows.slice(0, limit).map(parseRow);
      return { entries, next: rows.length > limit ? entries.at(-1) : end };
    },
  };
}

/** The last of as many rows as one page looks at; `undefined` if there are no more. */
async function findEnd(rows: SelectQueryBuilder<Tables, "audit_entry", { id: string; occurred_at: number }>) {
  const row = await rows
    .offset(rowsLookedAtMax - 1)
    .limit(1)
    .executeTakeFirst();
  return row && { occurredAt: Number(row.occurred_at), id: row.id };
}

function isPlace(operator: "<" | ">=", { occurredAt, id }: AuditCursor) {
  return ({ eb, refTuple, tuple }: ExpressionBuilder<Tables, "audit_entry">) =>
    eb(refTuple("occurred_at", "id"), operator, tuple(occurredAt, id));
}

/** The one of two places that comes first in the log. */
function earlier(one: AuditCursor | undefined, other: AuditCursor | undefined): AuditCursor | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.occurredAt < other.occurredAt ? one : other;
}

function parseRow(row: Selectable<AuditEntryTable>): AuditEntry {
  if (!(row.action in auditActions)) throw new Error(`An audit entry tells of ${row.action}`);
  return {
    id: row.id,
    accountId: row.account_id as AccountId, // only ids are written there
    action: row.action as AuditAction, // just checked
    actor: parseActor(row),
    occurredAt: Number(row.occurred_at),
    target: parseTarget(row),
    count: row.count ?? undefined,
    details: row.details === null ? undefined : (JSON.parse(row.details) as AuditDetails), // written from one
  };
}

function parseActor({ actor, actor_id: id, person_id }: Selectable<AuditEntryTable>): AuditActor {
  switch (actor) {
    case "session":
      // Written from one.
      return { type: actor, id: id ?? "", ...(person_id !== null && { personId: person_id as AccountId }) };
    case "api_key":
      return { type: actor, id: id as ApiKeyId }; // written from one
    case "operator":
      // As above.
      return { type: actor, ...(person_id !== null && { personId: person_id as AccountId }) };
    case "nobody":
      return { type: actor };
    default:
      return actor satisfies never;
  }
}

/** Whether it is the id of an invitation: nobody but the service makes or checks one. */
export function isInvitationId(id: string): boolean {
  return /^inv_[0-9a-z]{26}$/.test(id);
}

/** The id says what it is: only sessions have none of our own ids. */
function parseTarget({ target_id: id, target_name }: Selectable<AuditEntryTable>): AuditTarget | undefined {
  if (id === null) return undefined;
  const name = target_name ?? "";
  if (isId("form", id)) return { type: "form", id, name };
  if (isId("account", id)) return { type: "member", id, name };
  if (isInvitationId(id)) return { type: "invitation", id };
  return isId("apiKey", id) ? { type: "api_key", id, name } : { type: "session", id };
}
