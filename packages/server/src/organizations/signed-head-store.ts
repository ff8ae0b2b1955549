import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/** The head of an organization's list that a person has signed with the key in use (SPECIFICATION.md section 22). */
export interface SignedHead {
  readonly organizationId: AccountId;
  /** Its two lines. */
  readonly signedHead: string;
  readonly storedAt: number;
}

export interface NewSignedHead extends SignedHead {
  readonly personId: AccountId;
  readonly signingKey: string;
  /** Of the list's entry that it names. */
  readonly number: number;
}

/** At most one for each person, key and organization. */
export interface SignedHeadStore {
  /** Those that were signed with this key. */
  list(personId: AccountId, signingKey: string): Promise<readonly SignedHead[]>;
  /** Replaces one that names an earlier entry. Gives the one that is kept. */
  keep(transaction: DatabaseTransaction, head: NewSignedHead): Promise<SignedHead>;
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
    async keep(transaction, { personId, signingKey, organizationId, signedHead, number, storedAt }) {
      const key = { person_id: personId, signing_key: signingKey, organization_id: organizationId };
      const values = { signed_head: signedHead, number, stored_at: storedAt };
      await transaction
        .insertInto("signed_head")
        .values({ ...key, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(["person_id", "signing_key", "organization_id"])
            .doUpdateSet(values)
            .where("signed_head.number", "<", number),
        )
        .execute();
      const kept = await transaction
        .selectFrom("signed_head")
        .selectAll()
        .where("person_id", "=", personId)
        .where("signing_key", "=", signingKey)
        .where("organization_id", "=", organizationId)
        .executeTakeFirstOrThrow();
      return parseRow(kept);
    },
  };
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
