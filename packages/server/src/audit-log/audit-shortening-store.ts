import type { AccountId, AuditHead } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRound } from "../database/round.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { lockAuditHead } from "./audit-chain-store.ts";
import { removalBatch, removeUpTo } from "./audit-retention-store.ts";

/**
 * Younger entries stay, also for an owner: a thief in an owner's session has to leave the traces of it, for as long as a deleted account or
 * organization can be kept.
 */
export const shortenedAgeMilliseconds = 30 * dayMilliseconds;
const organizationsAtOnceMax = 100;

/** An owner's request: the last entry that goes, and the one before the first. */
export interface Shortening {
  /** None where nothing was removed before. */
  readonly after: AuditHead | undefined;
  readonly until: AuditHead;
}

/** How many entries of the log are gone, or soon will be; `shortening`: what this request has added to it, if anything. */
export interface ShortenedLog {
  readonly count: number;
  readonly shortening: Shortening | undefined;
}

/** Notes that the log ends with its entries up to `until`, which a background task then removes. Anyone who has the entry's hash has exported it. */
export async function noteShortening(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  until: AuditHead,
  now: number,
): Promise<ShortenedLog> {
  const head = await lockAuditHead(transaction, accountId);
  const after =
    head.removed_hash === null ? undefined : { sequence: Number(head.removed_sequence), hash: head.removed_hash };
  const gone = Math.max(Number(head.removed_sequence), Number(head.shortened_to ?? 0));
  if (until.sequence <= gone) return { count: gone, shortening: undefined };
  const entry = await transaction
    .selectFrom("audit_entry")
    .select(["hash", "occurred_at"])
    .where("account_id", "=", accountId)
    .where("sequence", "=", until.sequence)
    .executeTakeFirst();
  if (entry?.hash !== until.hash)
    throw new Problem(
      "conflict",
      `Entry ${until.sequence} of the log has another hash, or is not in it: export it again`,
    );
  const before = now - shortenedAgeMilliseconds;
  if (Number(entry.occurred_at) >= before)
    throw new Problem(
      "conflict",
      `Entries of the last 30 days stay in the log, and entry ${until.sequence} is younger`,
    );
  await transaction
    .updateTable("audit_head")
    .set({ shortened_to: until.sequence, shortened_before: before })
    .where("account_id", "=", accountId)
    .execute();
  return { count: until.sequence, shortening: { after, until } };
}

/** Removes a batch of what owners asked to have removed, by a clock that is trusted; `false` when nothing could be. `isHeld`: whether a legal hold keeps the organization's log. */
export function createRemoveShortened(
  database: Database,
  isHeld: (transaction: DatabaseTransaction, accountId: AccountId) => Promise<boolean>,
): (now: number) => Promise<boolean> {
  const removeInTurn = createRound({
    max: organizationsAtOnceMax,
    async find(after, max) {
      const rows = await database
        .selectFrom("audit_head")
        .select("account_id")
        .where("shortened_to", "is not", null)
        .where("account_id", ">", after)
        .orderBy("account_id")
        .limit(max)
        .execute();
      return rows.map(({ account_id }) => account_id as AccountId); // only ids are written there
    },
    work: (id: AccountId, now: number) =>
      database.transaction().execute(async (transaction) => {
        if (await isHeld(transaction, id)) return false;
        return removeBatch(transaction, id, now);
      }),
  });
  return removeInTurn;
}

async function removeBatch(transaction: DatabaseTransaction, accountId: AccountId, now: number): Promise<boolean> {
  const { removed_sequence, shortened_to, shortened_before } = await lockAuditHead(transaction, accountId);
  if (shortened_to === null) return false;
  const gone = Number(removed_sequence);
  const last = Math.min(Number(shortened_to), gone + removalBatch);
  const young = await transaction
    .selectFrom("audit_entry")
    .select("sequence")
    .where("account_id", "=", accountId)
    .where("sequence", ">", gone)
    .where("sequence", "<=", last)
    .where("occurred_at", ">=", Math.min(Number(shortened_before ?? 0), now - shortenedAgeMilliseconds))
    .orderBy("sequence")
    .limit(1)
    .executeTakeFirst();
  // Young by the clock of now, which is trusted: that of the request may have been ahead. A wrong clock has dated the last one too early: it stays with the young ones before it.
  const until = young?.sequence == null ? last : Number(young.sequence) - 1;
  const isRemoved = until > gone && (await removeUpTo(transaction, accountId, until));
  if (!isRemoved || until < last || last === Number(shortened_to))
    await transaction
      .updateTable("audit_head")
      .set({ shortened_to: null, shortened_before: null })
      .where("account_id", "=", accountId)
      .execute();
  return true;
}
