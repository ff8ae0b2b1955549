import type { AccountId } from "@sealpost/wire";
import { type AliasableExpression, type ExpressionBuilder, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { Tables } from "../database/schema.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import type { AuditActor, NewAuditEntry } from "./audit-entry.ts";

/** The person whose session it is, or who made the API key; `undefined` where it was revoked in this moment. */
export async function findPerson(
  database: Database | DatabaseTransaction,
  actor: AuditActor,
): Promise<AccountId | undefined> {
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
export function ownOfDay(
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
export function isGiven(column: "actor_id" | "person_id", value: string | undefined) {
  return ({ eb }: ExpressionBuilder<Tables, "audit_entry">) =>
    value === undefined ? eb(column, "is", null) : eb(column, "=", value);
}

/** Entries of sessions, or of API keys, in the organization within the last day, the newest first. */
export function entriesOfDay(
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
      .where("occurred_at", "<=", occurredAt + waitedMax)
      .orderBy("occurred_at", "desc")
  );
}

function selectEntries(database: Database | DatabaseTransaction) {
  return database.selectFrom("audit_entry");
}

/** Whether there are more entries than so many. */
export async function hasMore(entries: ReturnType<typeof entriesOfDay>, count: number): Promise<boolean> {
  return (await entries.offset(count).limit(1).executeTakeFirst()) !== undefined;
}
