import { type AccountId, type FormId, isId, type SubmissionId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { holdForms } from "../database/lock.ts";
import { wipeSubmissionBodies } from "../deliveries/queue-wipe.ts";
import type { RecordEvents } from "../deliveries/record-events.ts";
import { submissionBytes, visibleFrom } from "./submission-store.ts";

/** How many rows one statement takes, and so how long one holds the database. */
export const deletionBatch = 500;

/** Where a submission's row lies, and what is left of it as a tombstone. */
export interface SubmissionPlace {
  readonly id: string;
  readonly sequence: number;
  readonly received_at: number;
}

/** Called inside the transaction of a delete, with the form's name and how many submissions went. */
export type RecordDeletion = (transaction: DatabaseTransaction, formName: string, deleted: number) => Promise<void>;

export interface SubmissionDeletionStore {
  /**
   * Deletes these submissions, rows and all, in one transaction: at most 1,000, so it needs no background. Returns how many
   * of the ids the form had; `undefined` when the account has no such form.
   */
  deleteListed(
    accountId: AccountId,
    formId: string,
    ids: readonly string[],
    now: number,
    record?: RecordDeletion,
  ): Promise<number | undefined>;
  /**
   * Takes every submission received before `before` (all of them when omitted) away from readers by one row, and leaves
   * rows and events to the purge. Returns how many they were; `undefined` when the account has no such form.
   */
  deleteBefore(
    accountId: AccountId,
    formId: string,
    before: number | undefined,
    now: number,
    record?: RecordDeletion,
  ): Promise<number | undefined>;
}

/**
 * A bulk delete has to be true at once for a million rows. A flag on each row would rewrite each row, and one statement
 * would hold SQLite for seconds; so each form has one time, `visible_from`, that every reader obeys and that only rises
 * while rows wait for the purge. It never passes the newest submission by more than a millisecond, and a submission that
 * comes meanwhile is dated at it or later (`ingest.ts`), so nothing that comes after the answer is taken away.
 */
export function createSubmissionDeletionStore(database: Database, recordEvents: RecordEvents): SubmissionDeletionStore {
  return {
    async deleteListed(accountId, formId, ids, now, record) {
      if (!isId("form", formId)) return undefined;
      const wanted = [...new Set(ids)].filter((id) => isId("submission", id));
      return database.transaction().execute(async (transaction) => {
        const name = await findName(transaction, accountId, formId);
        if (name === undefined) return undefined;
        let deleted = 0;
        for (let start = 0; start < wanted.length; start += deletionBatch) {
          const places = await transaction
            .selectFrom("submission")
            .select(["id", "sequence", "received_at"])
            .where("form_id", "=", formId)
            .where("id", "in", wanted.slice(start, start + deletionBatch))
            .where("received_at", ">=", visibleFrom(formId))
            .execute();
          await removeSubmissions(transaction, recordEvents, { formId, formName: name, places, deletedAt: now });
          deleted += places.length;
        }
        if (deleted === 0) return 0;
        await addToStored(transaction, formId, -deleted);
        await record?.(transaction, name, deleted);
        return deleted;
      });
    },

    async deleteBefore(accountId, formId, before, now, record) {
      if (!isId("form", formId)) return undefined;
      return database.transaction().execute(async (transaction) => {
        const name = await findName(transaction, accountId, formId);
        if (name === undefined) return undefined;
        const deleted = await hideSubmissions(transaction, formId, before ?? Number.POSITIVE_INFINITY, now);
        if (deleted > 0) await record?.(transaction, name, deleted);
        return deleted;
      });
    },
  };
}

/**
 * Takes every submission received before `before` away from readers, and leaves rows and events to the purge. Returns how
 * many they were. The form is held as `mine`.
 */
export async function hideSubmissions(
  transaction: DatabaseTransaction,
  formId: FormId,
  before: number,
  now: number,
): Promise<number> {
  const visible = () =>
    transaction.selectFrom("submission").where("form_id", "=", formId).where("received_at", ">=", visibleFrom(formId));
  const newest = await visible().select("received_at").orderBy("received_at", "desc").limit(1).executeTakeFirst();
  if (newest === undefined) return 0;
  const end = Math.min(before, newest.received_at + 1);
  const { count } = await visible()
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("received_at", "<", end)
    .executeTakeFirstOrThrow();
  const deleted = Number(count);
  if (deleted === 0) return 0;
  await addToStored(transaction, formId, -deleted);
  await transaction.updateTable("form_count").set({ visible_from: end }).where("form_id", "=", formId).execute();
  await transaction
    .insertInto("submission_purge")
    .values({ form_id: formId, received_before: end, requested_at: now })
    .execute();
  return deleted;
}

/**
 * Removes rows for good: leaves tombstones, wipes what deliveries hold of them, and emits `submission.deleted` for each.
 * At most `deletionBatch` of them. The form's counter is the caller's.
 */
export async function removeSubmissions(
  transaction: DatabaseTransaction,
  recordEvents: RecordEvents,
  removal: {
    readonly formId: FormId;
    readonly formName: string;
    readonly places: readonly SubmissionPlace[];
    readonly deletedAt: number;
  },
): Promise<void> {
  const { formId, formName, places, deletedAt } = removal;
  if (places.length === 0) return;
  const removed = await transaction
    .deleteFrom("submission")
    .where(
      "sequence",
      "in",
      places.map(({ sequence }) => sequence),
    )
    .returning(submissionBytes.as("bytes"))
    .execute();
  const bytes = removed.reduce((sum, row) => sum + Number(row.bytes), 0);
  await transaction
    .updateTable("form_count")
    .set({ bytes: sql`bytes - ${bytes}` })
    .where("form_id", "=", formId)
    .execute();
  await transaction
    .insertInto("submission_tombstone")
    .values(places.map((place) => ({ ...place, form_id: formId, deleted_at: deletedAt })))
    .execute();
  // A row's id was written from one.
  const ids = places.map(({ id }) => id as SubmissionId);
  await wipeSubmissionBodies(transaction, formId, ids);
  await recordEvents(
    transaction,
    ids.map((id) => ({
      kind: "submission.deleted",
      formId,
      formName,
      occurredAt: deletedAt,
      submissionId: id,
      content: { submission: { id } },
    })),
  );
}

/** The form's name, if it is the account's. No submission comes or goes until the transaction ends. */
async function findName(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  formId: FormId,
): Promise<string | undefined> {
  await holdForms(transaction, [formId], "mine");
  const row = await transaction
    .selectFrom("form")
    .select("name")
    .where("account_id", "=", accountId)
    .where("id", "=", formId)
    .executeTakeFirst();
  return row?.name;
}

async function addToStored(transaction: DatabaseTransaction, formId: FormId, difference: number): Promise<void> {
  await transaction
    .updateTable("form_count")
    .set({ stored: sql`stored + ${difference}` })
    .where("form_id", "=", formId)
    .execute();
}
