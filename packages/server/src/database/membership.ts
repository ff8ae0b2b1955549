import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "./database.ts";

/**
 * Makes a person who has signed up the owner of the organization with their id, unless that was done before. Afterwards what
 * `member` says counts alone.
 */
export async function becomeOwner(target: Database, personId: AccountId): Promise<void> {
  await target.transaction().execute(async (transaction) => {
    const person = await transaction
      .selectFrom("account_holder")
      .select("created_at")
      .where("id", "=", personId)
      .executeTakeFirstOrThrow();
    const since = new Date(person.created_at).getTime();
    const { numUpdatedRows } = await transaction
      .updateTable("account_holder")
      .set({ joined_at: since })
      .where("id", "=", personId)
      .where("joined_at", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    await insertMember(transaction, {
      organizationId: personId,
      personId,
      role: "owner",
      formIds: [],
      since,
      addedBy: undefined,
    });
  });
}

/** The order of a person's organizations in the rows of `member`: the one with their id, then the oldest. */
export const orderOfOrganizations = (table: "member" | "first") => {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`case when ${column("organization_id")} = ${column("person_id")} then 0 else 1 end,
    ${column("since")}, ${column("organization_id")}`;
};

/** The organization that a session of the person acts for while it chose none. */
export const firstOrganization = sql<string>`(
  select first.organization_id from member as first where first.person_id = session.account_id
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
    .where("account_id", "in", ({ selectFrom }) => {
      const members = selectFrom("member").select("person_id").where("member.organization_id", "=", organizationId);
      return personId === undefined ? members : members.where("person_id", "=", personId);
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
}

/** False if they are a member already; then nothing changes. */
export async function insertMember(transaction: DatabaseTransaction, member: NewMember): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto("member")
    .values({
      organization_id: member.organizationId,
      person_id: member.personId,
      role: member.role,
      form_ids: JSON.stringify(member.formIds),
      since: member.since,
      added_by: member.addedBy ?? null,
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "person_id"]).doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The named forms of a row of `member` or `invitation`. */
export function parseFormIds(text: string): readonly FormId[] {
  return JSON.parse(text) as readonly FormId[]; // written from some
}
