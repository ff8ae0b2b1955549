import type { DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";

/** The rows that carry a right: the credential, and the membership that it acts with. */
export type Right = { readonly organizationId: string } & (
  | { readonly kind: "session"; readonly sessionId: string; readonly personId: string }
  | { readonly kind: "api_key"; readonly keyId: string }
);

/**
 * Nobody can take this right away before the transaction ends: whatever ends the session, the key or the membership waits
 * (`lockRightsOf`), and then sees what was done with it. These locks are statements of their own before any that read, as in
 * `lockForms`. On SQLite a transaction has the database to itself anyway.
 *
 * `change`: what the transaction itself changes, which is locked for it alone from the start. Two transactions that first shared a
 * row, and then each wanted it alone, would wait for each other.
 */
export async function holdRight(
  transaction: DatabaseTransaction,
  right: Right,
  change: "person" | "organization" | undefined,
): Promise<void> {
  if (kindOf(transaction) === "sqlite") return;
  if (right.kind === "session" && change === "person") return lockRightsOf(transaction, right.personId);
  const members = transaction
    .selectFrom("member")
    .select("person_id")
    .where("organization_id", "=", right.organizationId)
    .forShare();
  if (right.kind === "session") {
    const isOfAll = change === "organization";
    if (isOfAll) await lockRightsIn(transaction, right.organizationId);
    await transaction.selectFrom("session").select("id").where("id", "=", right.sessionId).forShare().execute();
    if (!isOfAll) await members.where("person_id", "=", right.personId).execute();
    return;
  }
  const key = await transaction
    .selectFrom("api_key")
    .select("made_by")
    .where("id", "=", right.keyId)
    .forShare()
    .executeTakeFirst();
  if (key !== undefined) await members.where("person_id", "=", key.made_by).execute();
}

/**
 * Called before a person's rights are taken away, in one organization or in all: waits for whatever is being done with them, and makes
 * whatever comes later wait for this transaction. It comes before any other lock, so that two transactions rarely wait for each other.
 */
export async function lockRightsOf(
  transaction: DatabaseTransaction,
  personId: string,
  organizationId?: string,
): Promise<void> {
  if (kindOf(transaction) === "sqlite") return;
  const sessions = transaction.selectFrom("session").select("id").where("person_id", "=", personId);
  if (organizationId === undefined) await sessions.orderBy("id").forUpdate().execute();
  const keys = transaction.selectFrom("api_key").select("id").where("made_by", "=", personId).orderBy("id");
  if (organizationId === undefined) await keys.forUpdate().execute();
  const members = transaction.selectFrom("member").select("person_id").where("person_id", "=", personId);
  const concerned = organizationId === undefined ? members : members.where("organization_id", "=", organizationId);
  await concerned.orderBy("organization_id").forUpdate().execute();
}

/** The same for all members of an organization, whose rule for them changes. */
export async function lockRightsIn(transaction: DatabaseTransaction, organizationId: string): Promise<void> {
  if (kindOf(transaction) === "sqlite") return;
  await transaction
    .selectFrom("member")
    .select("person_id")
    .where("organization_id", "=", organizationId)
    .orderBy("person_id")
    .forUpdate()
    .execute();
}
