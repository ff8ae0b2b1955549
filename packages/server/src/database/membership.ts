import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import { takeLocks } from "./advisory-lock.ts";
import type { DatabaseTransaction } from "./database.ts";

/**
 * Makes the organization of a person who has signed up, with their id, and them its owner, unless that was done before. Afterwards
 * what `member` says counts alone.
 */
export async function makeOwnOrganization(
  transaction: DatabaseTransaction,
  personId: AccountId,
  plan: Plan,
): Promise<void> {
  await shareProof(transaction, personId);
  const person = await transaction
    .selectFrom("person")
    .select(["name", "created_at"])
    .where("id", "=", personId)
    .executeTakeFirstOrThrow();
  const since = new Date(person.created_at).getTime();
  const { numUpdatedRows } = await transaction
    .updateTable("person")
    .set({ joined_at: since })
    .where("id", "=", personId)
    .where("joined_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  await insertOrganization(transaction, {
    ...{ id: personId, name: person.name, plan, createdAt: since },
    countsFor: personId,
  });
  await insertMember(transaction, {
    organizationId: personId,
    personId,
    role: "owner",
    formIds: [],
    since,
    addedBy: undefined,
  });
}

export interface NewOrganization {
  readonly id: AccountId;
  readonly name: string;
  readonly plan: Plan;
  readonly createdAt: number;
  /** The person who makes it, and whose storage it counts towards (docs/decisions/0041-counted-bytes.md). */
  readonly countsFor: AccountId;
}

/** Without members. */
export async function insertOrganization(
  transaction: DatabaseTransaction,
  { id, name, plan, createdAt, countsFor }: NewOrganization,
): Promise<void> {
  await transaction
    .insertInto("organization")
    .values({ id, name, plan, created_at: createdAt, counts_for: countsFor })
    .execute();
}

/**
 * When a person stops being an owner of an organization: if it counted for them, it is left behind by them from then on, with room of its
 * own. Nobody undoes that by making them an owner again: it would count for them by somebody else's act.
 */
export async function leaveBehind(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
): Promise<void> {
  await transaction
    .updateTable("organization")
    .set({ counts_for: null, left_by: personId })
    .where("id", "=", organizationId)
    .where("counts_for", "=", personId)
    .execute();
}

/**
 * Whether a row of `member` gives its role: nobody who has yet to prove the address that was invited is an owner, a manager or anything else
 * of the organization. Each query that asks who is one asks this too (`member-queries.test.ts`).
 */
export const isProven = (member: string) => sql<boolean>`${sql.ref(`${member}.unproven_address`)} is null`;

/**
 * An owner of the organization that a column names, who is not disabled: without one, nobody gets its emails and nobody can change
 * who belongs to it. No `exists`, for which PostgreSQL would read all members of the instance.
 */
export const hasActiveOwner = (column: "organization.id" | "form.account_id") => sql<boolean>`((
  select 1 from member as active inner join person as owner on owner.id = active.person_id
  where active.organization_id = ${sql.ref(column)} and active.role = 'owner' and owner.disabled_at is null
  and ${isProven("active")} limit 1) is not null)`;

/** The order of a person's organizations in the rows of `member`: the one with their id, then the oldest. */
export const orderOfOrganizations = (table: "member" | "first") => {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`case when ${column("organization_id")} = ${column("person_id")} then 0 else 1 end,
    ${column("since")}, ${column("organization_id")}`;
};

/** The organization that a session of the person acts for while it chose none. */
export const firstOrganization = sql<string>`(
  select first.organization_id from member as first where first.person_id = session.person_id
  order by ${orderOfOrganizations("first")} limit 1)`;

/**
 * Before memberships end, of one person or all: sessions that act for the organization without having chosen it name it from now on.
 * No session slides into another organization, for which its next request was not meant.
 */
export async function keepSessionsIn(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId?: AccountId,
): Promise<void> {
  await transaction
    .updateTable("session")
    .set({ organization_id: organizationId })
    .where("organization_id", "is", null)
    .where("person_id", "in", ({ selectFrom }) => {
      const members = selectFrom("member").select("person_id").where("member.organization_id", "=", organizationId);
      return personId === undefined ? members : members.where("member.person_id", "=", personId);
    })
    .where(firstOrganization, "=", organizationId)
    .execute();
}

export interface NewMember {
  readonly organizationId: AccountId;
  readonly personId: AccountId;
  readonly role: string;
  readonly formIds: readonly FormId[];
  readonly since: number;
  readonly addedBy: AccountId | undefined;
  /** The address that a membership which comes back waited for. A new one waits for the person's, unless that is verified. */
  readonly unprovenAddress?: string | undefined;
}

const proofOf = (personId: AccountId) => `proof/${personId}`;

/**
 * Before a person's address is written as proven. Who makes a member reads whether it is, and then writes a role that waits for it: a proof that
 * arrived in between would find no such role, and the role would wait for another one.
 */
export async function lockProof(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await takeLocks(transaction, [{ name: proofOf(personId), mode: "alone" }]);
}

/**
 * Anyone who makes somebody a member reads whether their address is proven. Before anything of the person is locked or changed: one who proves an address
 * has this lock first as well, and the two would wait for each other.
 */
export async function shareProof(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await takeLocks(transaction, [{ name: proofOf(personId), mode: "shared" }]);
}

/** False if they are a member already; then nothing changes. */
export async function insertMember(transaction: DatabaseTransaction, member: NewMember): Promise<boolean> {
  await shareProof(transaction, member.personId);
  const unproven =
    member.unprovenAddress === undefined
      ? await findUnprovenAddress(transaction, member)
      : await keepUnproven(transaction, member.personId, member.unprovenAddress);
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto("member")
    .values({
      organization_id: member.organizationId,
      person_id: member.personId,
      role: member.role,
      form_ids: JSON.stringify(member.formIds),
      since: member.since,
      added_by: member.addedBy ?? null,
      unproven_address: unproven ?? null,
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "person_id"]).doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The organization with a person's id is their own, and was nobody else's to give. */
async function findUnprovenAddress(
  transaction: DatabaseTransaction,
  { organizationId, personId }: Pick<NewMember, "organizationId" | "personId">,
): Promise<string | undefined> {
  if (organizationId === personId) return undefined;
  const person = await transaction
    .selectFrom("person")
    .select("email")
    .where("id", "=", personId)
    .where("verification", "=", "needed")
    .executeTakeFirst();
  return person?.email;
}

/** The address for which a membership that comes back had waited, unless the person has proven it since. */
async function keepUnproven(
  transaction: DatabaseTransaction,
  personId: AccountId,
  address: string,
): Promise<string | undefined> {
  const proven = await transaction
    .selectFrom("person")
    .select("id")
    .where("id", "=", personId)
    .where("email", "=", address)
    .where("verification", "!=", "needed")
    .executeTakeFirst();
  return proven === undefined ? address : undefined;
}

/**
 * Gives the roles that waited for a proof of the address that the person has now. Called wherever an address is proven, and for that one
 * alone: somebody who was invited at another address, and has moved the account, has not opened that mailbox. After `lockProof`.
 */
export async function giveProvenRoles(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await transaction
    .updateTable("member")
    .set({ unproven_address: null })
    .where("person_id", "=", personId)
    .where("unproven_address", "=", ({ selectFrom }) => selectFrom("person").select("email").where("id", "=", personId))
    .execute();
}

/** The named forms of a row of `member` or `invitation`. */
export function parseFormIds(text: string): readonly FormId[] {
  return JSON.parse(text) as readonly FormId[]; // written from some
}
