import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { type Instant, invitationMilliseconds, lifetimeOf, type MailKind } from "./mail.ts";
import { mayBeTriedAgain } from "./mail-store.ts";
import { parseTexts } from "./stored-texts.ts";

/** An email that could not be sent, without what it held. */
export interface FailedMail {
  readonly id: string;
  readonly kind: MailKind;
  /** The account that it is about, or whose it is. */
  readonly accountId: AccountId;
  readonly addresses: readonly string[];
  readonly failedAt: Instant;
  /** The mail server's sentence, or ours. */
  readonly failure: string;
  readonly attempts: number;
  /** When it is tried next; `undefined` once it is given up. */
  readonly nextAt: Instant | undefined;
  readonly mayBeTriedAgain: boolean;
}

export interface FailedMailStore {
  /** Failed emails after `after`, the newest first, at most `limit`. */
  list(limit: number, after?: { readonly failedAt: Instant; readonly id: string }): Promise<readonly FailedMail[]>;
  count(): Promise<number>;
  /** Makes it due now. `unknown`: it never was, arrived by now or is forgotten. */
  tryAgain(
    transaction: DatabaseTransaction,
    id: string,
    now: Instant,
  ): Promise<{ readonly accountId: AccountId } | "unknown" | "too_old">;
}

export function createFailedMailStore(database: Database): FailedMailStore {
  return {
    async list(limit, after) {
      let query = database
        .selectFrom("mail")
        .select(["id", "kind", "account_id", "failed_at", "failed_to", "failure", "attempts", "due_at", "finished_at"])
        .where("failed_at", "is not", null)
        .orderBy("failed_at", "desc")
        .orderBy("id", "desc")
        .limit(limit);
      if (after !== undefined)
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("failed_at", "id"), "<", tuple(after.failedAt, after.id)),
        );
      return (await query.execute()).map((row) => ({
        id: row.id,
        kind: row.kind as MailKind, // written from one
        accountId: row.account_id as AccountId, // as above
        addresses: parseTexts(row.failed_to),
        failedAt: Number(row.failed_at),
        failure: row.failure ?? "",
        attempts: row.attempts,
        nextAt: row.finished_at === null ? Number(row.due_at) : undefined,
        mayBeTriedAgain: mayBeTriedAgain(row.kind),
      }));
    },
    async count() {
      const { count } = await database
        .selectFrom("mail")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("failed_at", "is not", null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async tryAgain(transaction, id, now) {
      const row = await transaction
        .selectFrom("mail")
        .select(["kind", "account_id", "created_at", "finished_at"])
        .where("id", "=", id)
        .where("failed_at", "is not", null)
        .executeTakeFirst();
      if (row === undefined) return "unknown";
      const isOldLink = row.kind.endsWith("invitation") && row.created_at + invitationMilliseconds <= now;
      if (row.finished_at !== null && (isOldLink || !mayBeTriedAgain(row.kind))) return "too_old";
      const again = {
        finished_at: null,
        attempts: 0,
        // That mailbox may take it by now.
        refused_to: null,
        due_at: now,
        expires_at: now + lifetimeOf(row.kind as MailKind), // written from one
      };
      await transaction
        .updateTable("mail")
        .set(row.finished_at === null ? { due_at: now } : again)
        .where("id", "=", id)
        // One that is on its way at this moment is left alone.
        .where("claim_token", "is", null)
        .execute();
      return { accountId: row.account_id as AccountId }; // as above
    },
  };
}
