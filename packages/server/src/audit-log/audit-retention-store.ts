import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRound, orderOfRound } from "../database/round.ts";
import { lockAuditHead } from "./audit-chain-store.ts";

/** Entries in one transaction: on SQLite, others wait for it. */
export const removalBatch = 1000;
const organizationsAtOnceMax = 100;

/** Removes audit entries for their age. */
export interface AuditRetentionStore {
  /** Removes some of the entries from before `occurredAt`; `false` when there was none. Called again until then. */
  removeBefore(occurredAt: number, now: number): Promise<boolean>;
}

/**
 * Only the beginning of a chain is removed, and its end is noted as the checkpoint from which the rest verifies. An entry that a wrong
 * clock has dated too early therefore stays as long as those before it; one dated into the future keeps none of them.
 */
export function createAuditRetentionStore(database: Database): AuditRetentionStore {
  async function findOrganizations(
    after: string,
    max: number,
    { occurredAt }: { readonly occurredAt: number },
  ): Promise<readonly AccountId[]> {
    const id = orderOfRound(database, "account_id");
    const rows = await database
      .selectFrom("audit_entry")
      .select(id.as("account_id"))
      .where("occurred_at", "<", occurredAt)
      .where("sequence", "is not", null)
      .where(id, ">", after)
      .groupBy(id)
      .orderBy(id)
      .limit(max)
      .execute();
    return rows.map(({ account_id }) => account_id as AccountId); // only ids are written there
  }

  // Organizations with nothing to remove, of a wrong clock, keep no other one waiting.
  const removeInTurn = createRound({
    max: organizationsAtOnceMax,
    find: findOrganizations,
    work: (id, { occurredAt, now }: { readonly occurredAt: number; readonly now: number }) =>
      database.transaction().execute((transaction) => removeBeginning(transaction, id, occurredAt, now)),
  });
  return { removeBefore: (occurredAt, now) => removeInTurn({ occurredAt, now }) };
}

async function removeBeginning(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  occurredAt: number,
  now: number,
): Promise<boolean> {
  const head = await lockAuditHead(transaction, accountId);
  const kept = await transaction
    .selectFrom("audit_entry")
    .select(({ fn }) => fn.min("sequence").as("sequence"))
    .where("account_id", "=", accountId)
    .where("occurred_at", ">=", occurredAt)
    .where("occurred_at", "<=", now)
    .executeTakeFirst();
  const first = Number(head.removed_sequence) + 1;
  // Where nothing of the present is left: all that is old, and no further.
  const end = kept?.sequence == null ? await findAfterOld(transaction, accountId, occurredAt) : Number(kept.sequence);
  const until = Math.min(end, first + removalBatch) - 1;
  return until >= first && removeUpTo(transaction, accountId, until);
}

/** Removes the entries up to a number, in a transaction that has locked the log's head, and notes the checkpoint. */
export async function removeUpTo(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  until: number,
): Promise<boolean> {
  const checkpoint = await transaction
    .selectFrom("audit_entry")
    .select(["sequence", "hash", "occurred_at"])
    .where("account_id", "=", accountId)
    .where("sequence", "=", until)
    .executeTakeFirst();
  // Somebody else has removed it: the chain is broken, and nothing hides that.
  if (checkpoint === undefined) return false;
  const { numDeletedRows } = await transaction
    .deleteFrom("audit_entry")
    .where("account_id", "=", accountId)
    .where("sequence", "<=", until)
    .executeTakeFirstOrThrow();
  await transaction
    .updateTable("audit_head")
    .set({
      removed_sequence: until,
      removed_hash: checkpoint.hash,
      removed_occurred_at: checkpoint.occurred_at,
    })
    .where("account_id", "=", accountId)
    .execute();
  return numDeletedRows > 0n;
}

async function findAfterOld(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  occurredAt: number,
): Promise<number> {
  const row = await transaction
    .selectFrom("audit_entry")
    .select(({ fn }) => fn.max("sequence").as("sequence"))
    .where("account_id", "=", accountId)
    .where("occurred_at", "<", occurredAt)
    .executeTakeFirst();
  return Number(row?.sequence ?? 0) + 1;
}
