import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRowKey } from "../database/lock.ts";

/** The head of an organization's list that a person has signed with the key in use (SPECIFICATION.md section 22). */
export interface SignedHead {
  readonly organizationId: AccountId;
  /** Its two lines. */
  readonly signedHead: string;
  readonly storedAt: number;
}

/** Whose it is, signed with which key, and of which organization. */
export interface SignedHeadKey {
  readonly personId: AccountId;
  readonly signingKey: string;
  readonly organizationId: AccountId;
}

export interface NewSignedHead extends SignedHead, SignedHeadKey {
  /** The number of the list's entry that it names. */
  readonly number: number;
}

/** At most one for each person, key and organization. */
export interface SignedHeadStore {
  /** The heads that were signed with this key. */
  list(personId: AccountId, signingKey: string): Promise<readonly SignedHead[]>;
  find(
    transaction: DatabaseTransaction,
    key: SignedHeadKey,
  ): Promise<(SignedHead & { readonly number: number }) | undefined>;
  /**
   * Replaces one that names an earlier entry, or that has the text `replaceable`. Gives the one that is kept; `undefined` where the person is no
   * member, maybe since a moment ago.
   */
  keep(transaction: DatabaseTransaction, head: NewSignedHead, replaceable?: string): Promise<SignedHead | undefined>;
}

export function createSignedHeadStore(database: Database): SignedHeadStore {
  return {
    async list(personId, signingKey) {
      const rows = await database
        .selectFrom("signed_head")
        .selectAll()
        .where("person_id", "=", personId)
        .where("signing_key", "=", signingKey)
        .orderBy("organization_id")
        .execute();
      return rows.map(parseRow);
    },
    async find(transaction, key) {
      const row = await findRow(transaction, key);
      return row && { ...parseRow(row), number: row.number };
    },
    async keep(transaction, { personId, signingKey, organizationId, signedHead, number, storedAt }, replaceable) {
      // A statement of its own before the one that inserts: a membership that ends meanwhile is waited for.
      const member = transaction
        .selectFrom("member")
        .select("role")
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", personId);
      if ((await lockRowKey(transaction, member).executeTakeFirst()) === undefined) return undefined;
      const key = { person_id: personId, signing_key: signingKey, organization_id: organizationId };
      const values = { signed_head: signedHead, number, stored_at: storedAt };
      await transaction
        .insertInto("signed_head")
        .values({ ...key, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(["person_id", "signing_key", "organization_id"])
            .doUpdateSet(values)
            .where(({ eb, or }) =>
              or([
                eb("signed_head.number", "<", number),
                ...(replaceable === undefined ? [] : [eb("signed_head.signed_head", "=", replaceable)]),
              ]),
            ),
        )
        .execute();
      const kept = await findRow(transaction, { personId, signingKey, organizationId });
      return kept && parseRow(kept);
    },
  };
}

function findRow(transaction: DatabaseTransaction, { personId, signingKey, organizationId }: SignedHeadKey) {
  return transaction
    .selectFrom("signed_head")
    .selectAll()
    .where("person_id", "=", personId)
    .where("signing_key", "=", signingKey)
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
}

function parseRow(row: {
  readonly organization_id: string;
  readonly signed_head: string;
  readonly stored_at: number;
}): SignedHead {
  return {
    organizationId: row.organization_id as AccountId, // only ids are written there
    signedHead: row.signed_head,
    storedAt: Number(row.stored_at),
  };
}
