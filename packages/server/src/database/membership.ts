import type { AccountId, FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "./database.ts";

/**
 * Makes a person the owner of the organization with their id, unless that was done before: their account is of an older
 * version, or new. Afterwards what `member` says counts alone.
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
