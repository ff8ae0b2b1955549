import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { readMembership } from "../access/membership.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { lockRowKey } from "../database/lock.ts";
import { parseFormIds } from "../database/membership.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { waitedMax } from "../time/clock.ts";
import type { Grant } from "./organization.ts";

/** A grant as a row of `member` has it, without what is known about the person. */
export type Membership = Grant & {
  readonly since: number;
  readonly addedBy: AccountId | undefined;
  readonly unprovenAddress?: string | undefined;
};

/** The person whose change it is (of a new member, the person who invited them), and when it was made. `undefined`: nobody's, or an operator's. */
export interface ChangedBy {
  readonly madeBy: AccountId | undefined;
  readonly at: number;
}

export interface MemberChange extends ChangedBy {
  readonly personId: AccountId;
  /** `undefined`: they were no member. */
  readonly before: Membership | undefined;
}

/** Notes a change of a membership. The organization is locked, so each change has a number of its own. */
export async function noteChange(
  transaction: DatabaseTransaction,
  { organizationId, personId, before }: Omit<MemberChange, keyof ChangedBy> & { readonly organizationId: AccountId },
  { madeBy, at }: ChangedBy,
): Promise<void> {
  const { last } = await transaction
    .selectFrom("member_change")
    .select(({ fn }) => fn.max<number | null>("number").as("last"))
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto("member_change")
    .values({
      organization_id: organizationId,
      number: Number(last ?? 0) + 1,
      person_id: personId,
      made_by: madeBy ?? null,
      changed_at: at,
      role: before?.role ?? null,
      form_ids: before === undefined ? null : JSON.stringify(before.formIds ?? []),
      since: before?.since ?? null,
      added_by: before?.addedBy ?? null,
      unproven_address: before?.unprovenAddress ?? null,
    })
    .execute();
}

/** The changes in an organization since then, in their order. */
export async function listChanges(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  since: number,
): Promise<readonly MemberChange[]> {
  const rows = await transaction
    .selectFrom("member_change")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("changed_at", ">=", since)
    .orderBy("number")
    .execute();
  return rows.map((row) => {
    const grant = row.role === null ? undefined : readMembership(row.role, () => parseFormIds(row.form_ids ?? "[]"));
    return {
      personId: row.person_id as AccountId, // only ids are written there
      madeBy: (row.made_by ?? undefined) as AccountId | undefined, // as above
      at: Number(row.changed_at),
      before: grant?.role && {
        ...{ role: grant.role, formIds: grant.formIds, since: Number(row.since) },
        addedBy: (row.added_by ?? undefined) as AccountId | undefined, // as above
        unprovenAddress: row.unproven_address ?? undefined,
      },
    };
  });
}

/**
 * The time of the change in the organization that was made so many ago; of one person's, if one is given: these are few. Those of all
 * are found by their numbers, so that nothing in between is looked at. A later time than `now` comes from a clock that was wrong.
 */
export async function findChangedAt(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  { count, now, madeBy }: { readonly count: number; readonly now: number; readonly madeBy: AccountId | undefined },
): Promise<number | undefined> {
  const changes = transaction
    .selectFrom("member_change")
    .select(["number", "changed_at"])
    .where("organization_id", "=", organizationId)
    .where("changed_at", "<=", now + waitedMax)
    .orderBy("number", "desc");
  if (madeBy !== undefined) {
    const own = changes.where("made_by", "=", madeBy).offset(count - 1);
    return timeOf(await own.limit(1).executeTakeFirst());
  }
  const newest = await changes.limit(1).executeTakeFirst();
  if (newest === undefined) return undefined;
  const before = changes.where("number", "<=", newest.number - count + 1);
  return timeOf(await before.limit(1).executeTakeFirst());
}

function timeOf(row: { readonly changed_at: number } | undefined): number | undefined {
  return row && Number(row.changed_at);
}

/** Another one after each change in the organization, in one cheap question. */
export async function findNewestChange(transaction: DatabaseTransaction, organizationId: AccountId): Promise<string> {
  const newest = await transaction
    .selectFrom("member_change")
    .select(["number", "changed_at"])
    .where("organization_id", "=", organizationId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest === undefined ? "none" : `${newest.number} ${newest.changed_at}`;
}

/**
 * The organizations that undoing a person's move may change, in the order in which they are locked: those of the person, those whose members the
 * person has changed since then, and those that somebody may still join by the person's invitation.
 */
export async function listConcerned(
  transaction: DatabaseTransaction,
  personId: AccountId,
  since: number,
): Promise<readonly AccountId[]> {
  const own = await transaction
    .selectFrom("member")
    .select("organization_id")
    .where("person_id", "=", personId)
    .execute();
  const changed = await listChangedBy(transaction, personId, since);
  const inviting = await listInvitedBy(transaction, personId);
  const ids = own.map((row) => row.organization_id as AccountId); // only ids are written there
  return [...new Set([...ids, ...changed, ...inviting])].toSorted();
}

/** The organizations in which the person has changed members since then. */
async function listChangedBy(
  transaction: DatabaseTransaction,
  personId: AccountId,
  since: number,
): Promise<readonly AccountId[]> {
  const rows = await transaction
    .selectFrom("member_change")
    .select("organization_id")
    .distinct()
    .where("made_by", "=", personId)
    .where("changed_at", ">=", since)
    .execute();
  return rows.map((row) => row.organization_id as AccountId); // as above
}

/** The organizations that somebody may join by an invitation of the person's. */
async function listInvitedBy(transaction: DatabaseTransaction, personId: AccountId): Promise<readonly AccountId[]> {
  const rows = await transaction
    .selectFrom("invitation")
    .select("organization_id")
    .distinct()
    .where("invited_by", "=", personId)
    .where("ended_at", "is", null)
    .execute();
  return rows.map((row) => row.organization_id as AccountId); // as above
}

/** Those among the people in these changes whose account was deleted. Nobody else's is before the transaction ends. */
export async function findGone(
  transaction: DatabaseTransaction,
  changes: readonly MemberChange[],
): Promise<ReadonlySet<AccountId>> {
  const ids = new Set(changes.map(({ personId }) => personId));
  if (ids.size === 0) return ids;
  const people = transaction
    .selectFrom("person")
    .select("id")
    .where(isOneOf(transaction, "id", [...ids]));
  for (const { id } of await lockRowKey(transaction, people.orderBy("id")).execute()) ids.delete(id as AccountId); // as above
  return ids;
}

/** The names and addresses of people who changed members, or whose membership was changed; of deleted accounts there are none. */
export async function findNames(
  transaction: DatabaseTransaction,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, { readonly name: string; readonly email: string }>> {
  const rows = await transaction.selectFrom("person").select(["id", "name", "email"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, name, email }) => [id as AccountId, { name, email }])); // as above
}

/** Removes one batch of the changes that were made longer ago than that. False when there was none. */
export const createRemoveOldChanges = (database: Database, keptMilliseconds: number) =>
  createRowRemoval(database, {
    table: "member_change",
    key: ["organization_id", "number"],
    by: "changed_at",
    isDue: (now, name) => sql`${name("changed_at")} < ${now - keptMilliseconds}`,
  });
