import { type AccountId, type FormId, isId, type SubmissionId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { lockForm } from "../database/lock.ts";
import { isNotHeld, requireNotHeld } from "../forms/form-hold-store.ts";
import { wipeSubmissionBodies } from "../outbox/queue-wipe.ts";
import { recordEvents } from "../outbox/record-events.ts";
import { submissionBytes } from "../quotas/submission-bytes.ts";
import type { RunPage } from "../time/page-turns.ts";
import { deletionBatch, inBatches } from "./batches.ts";
import { addToBin, findBinned } from "./bin-rows-store.ts";
import { countFitting, storedBytes } from "./submission-store.ts";
import { visibleNamedRows, visibleRows } from "./visible-rows-store.ts";

/**
 * A batch ends early at this many payload bytes, so that 500 rows of 1 MiB do not hold the database for seconds: what is still
 * to be delivered of them is written down, and all of it overwritten.
 */
const batchBytesMax = 2 * 1_048_576;

/** Where a submission's row lies, and what is left of it as a tombstone. */
export interface SubmissionPlace {
  readonly id: string;
  readonly sequence: number;
  readonly received_at: number;
}

export interface SizedPlace extends SubmissionPlace {
  readonly bytes: number;
}

/** Called inside the transaction of a delete, with the form's name and how many submissions went. */
export type RecordDeletion = (transaction: DatabaseTransaction, formName: string, deleted: number) => Promise<void>;

interface ListedDeletion {
  readonly runPage: RunPage;
  readonly accountId: AccountId;
  readonly formId: FormId;
  readonly ids: readonly string[];
  readonly now: number;
  readonly record: RecordDeletion | undefined;
}

export interface SubmissionDeletionStore {
  /**
   * Deletes these submissions for good, also those in the bin, rows and all: at most 1,000, so it needs no background. In one
   * transaction, or several where they are large; a request that was cut off is repeated. Returns how many of the ids the
   * form had; `undefined` when the account has no such form.
   */
  deleteListed(
    runPage: RunPage,
    accountId: AccountId,
    formId: string,
    ids: readonly string[],
    now: number,
    record?: RecordDeletion,
  ): Promise<number | undefined>;
  /** The same of those that are in the bin alone. `left` of the others are submissions of the form. */
  deleteBinned(
    runPage: RunPage,
    accountId: AccountId,
    formId: string,
    ids: readonly string[],
    now: number,
    record?: RecordDeletion,
  ): Promise<{ readonly deleted: number; readonly left: number } | undefined>;
  /**
   * Takes every submission received before `before` (all of them when omitted), also those in the bin, away from readers by
   * one row, and leaves rows and events to the purge. Returns how many they were; `undefined` when the account has no such form.
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
 * comes meanwhile is dated at it or later (`write-batch.ts`), so nothing that comes after the answer is taken away.
 */
export function createSubmissionDeletionStore(database: Database): SubmissionDeletionStore {
  async function deleteFrom(
    from: "submission" | "submission_bin",
    { runPage, accountId, formId, ids, now, record }: ListedDeletion,
  ): Promise<number | undefined> {
    const removed = await inBatches(runPage, { ids }, (wanted) =>
      database.transaction().execute(async (transaction) => {
        const form = await findDeletableForm(transaction, accountId, formId);
        if (form === undefined) return undefined;
        const found = await findPlaces(transaction, formId, from, wanted);
        const places = limitBytes(found);
        if (places.length === 0) return { moved: [], found };
        await removeSubmissions(transaction, { formId, formName: form.name, places, deletedAt: now, from });
        await (from === "submission" ? addToStored : addToBin)(transaction, formId, -places.length);
        await record?.(transaction, form.name, places.length);
        return { moved: places, found };
      }),
    );
    return removed?.count;
  }

  return {
    async deleteListed(runPage, accountId, formId, ids, now, record) {
      if (!isId("form", formId)) return undefined;
      let deleted = 0;
      for (const from of ["submission", "submission_bin"] as const) {
        const count = await deleteFrom(from, { runPage, accountId, formId, ids, now, record });
        if (count === undefined) return undefined;
        deleted += count;
      }
      return deleted;
    },

    async deleteBinned(runPage, accountId, formId, ids, now, record) {
      if (!isId("form", formId)) return undefined;
      const deleted = await deleteFrom("submission_bin", { runPage, accountId, formId, ids, now, record });
      if (deleted === undefined) return undefined;
      const { count } = await visibleNamedRows(database, formId, "submission")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("id", "in", ids)
        .executeTakeFirstOrThrow();
      return { deleted, left: Number(count) };
    },

    async deleteBefore(accountId, formId, before, now, record) {
      if (!isId("form", formId)) return undefined;
      return database.transaction().execute(async (transaction) => {
        const form = await findDeletableForm(transaction, accountId, formId);
        if (form === undefined) return undefined;
        const deleted = await hideSubmissions(transaction, formId, before ?? Number.POSITIVE_INFINITY, now);
        if (deleted > 0) await record?.(transaction, form.name, deleted);
        return deleted;
      });
    },
  };
}

/** Where those of these ids lie that readers see; of any, the oldest received before `before`, if none are named. At most `deletionBatch`. */
export async function findPlaces(
  transaction: DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
  ids: readonly string[] | undefined,
  before = Number.MAX_SAFE_INTEGER,
): Promise<readonly SizedPlace[]> {
  const columns = ["id", "sequence", "received_at", storedBytes] as const;
  // PostgreSQL has no empty list.
  if (ids?.length === 0) return [];
  if (ids !== undefined)
    return visibleNamedRows(transaction, formId, table).select(columns).where("id", "in", ids).execute();
  return visibleRows(transaction, formId, table)
    .select(columns)
    .where("received_at", "<", before)
    .orderBy("received_at")
    .orderBy("sequence")
    .limit(deletionBatch)
    .execute();
}

/**
 * Takes every submission received before `before`, also those in the bin, away from readers, and leaves rows and events to
 * the purge. Returns how many they were. The form is held as `mine`.
 */
export async function hideSubmissions(
  transaction: DatabaseTransaction,
  formId: FormId,
  before: number,
  now: number,
): Promise<number> {
  const rows = {
    stored: visibleRows(transaction, formId, "submission"),
    binned: visibleRows(transaction, formId, "submission_bin"),
  };
  const newestOf = async (kind: keyof typeof rows) =>
    (await rows[kind].select("received_at").orderBy("received_at", "desc").limit(1).executeTakeFirst())?.received_at;
  const newest = Math.max((await newestOf("stored")) ?? -1, (await newestOf("binned")) ?? -1);
  if (newest < 0) return 0;
  const end = Math.min(before, newest + 1);
  const countOf = async (kind: keyof typeof rows) => {
    const query = rows[kind].select(({ fn }) => fn.countAll<number>().as("count")).where("received_at", "<", end);
    return Number((await query.executeTakeFirstOrThrow()).count);
  };
  // All of them have been counted: on SQLite, everybody would wait until a million rows are counted again.
  const [stored, binned] =
    end > newest
      ? [await findStored(transaction, formId), await findBinned(transaction, formId)]
      : [await countOf("stored"), await countOf("binned")];
  if (stored + binned === 0) return 0;
  if (stored > 0) await addToStored(transaction, formId, -stored);
  if (binned > 0) await addToBin(transaction, formId, -binned);
  await transaction
    .updateTable("form_count")
    .set({ visible_from: end })
    .where("form_id", "=", formId)
    .where(isNotHeld(formId))
    .execute();
  await transaction
    .insertInto("submission_purge")
    .values({ form_id: formId, received_before: end, requested_at: now })
    .execute();
  return stored + binned;
}

/** As many of these rows as one transaction handles: all, or fewer where they are large; at least one. */
export function limitBytes(places: readonly SizedPlace[]): readonly SizedPlace[] {
  return places.slice(0, countFitting(places, batchBytesMax));
}

/**
 * Removes rows for good: leaves tombstones, wipes what deliveries hold of them, and emits `submission.deleted` for each.
 * At most `deletionBatch` of them. The form's counters are the caller's.
 */
export async function removeSubmissions(
  transaction: DatabaseTransaction,
  removal: {
    readonly formId: FormId;
    readonly formName: string;
    readonly places: readonly SubmissionPlace[];
    readonly deletedAt: number;
    /** Where the rows lie; `submission` when omitted. */
    readonly from?: "submission" | "submission_bin";
  },
): Promise<void> {
  const { formId, formName, places, deletedAt, from = "submission" } = removal;
  if (places.length === 0) return;
  // A row's id was written from one.
  const ids = places.map(({ id }) => id as SubmissionId);
  await wipeSubmissionBodies(transaction, formId, ids);
  const removed = await transaction
    .deleteFrom(from)
    .where(isOfForm(transaction, formId))
    .where(
      "sequence",
      "in",
      places.map(({ sequence }) => sequence),
    )
    .where(isNotHeld(formId))
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
    .values(
      places.map(({ id, sequence, received_at }) => ({
        id,
        sequence,
        received_at,
        form_id: formId,
        deleted_at: deletedAt,
      })),
    )
    // A submission from the bin has one already.
    .onConflict((conflict) => conflict.columns(["id", "form_id"]).doUpdateSet({ deleted_at: deletedAt }))
    .execute();
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

/** The form, if it is the account's. No submission comes or goes until the transaction ends. */
export async function findForm(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  formId: FormId,
): Promise<{ readonly name: string; readonly settings: string } | undefined> {
  await lockForm(transaction, formId, "change");
  return transaction
    .selectFrom("form")
    .select(["name", "settings"])
    .where("account_id", "=", accountId)
    .where("id", "=", formId)
    .executeTakeFirst();
}

/** The same for whatever deletes something. Throws while a legal hold keeps all of the form. */
export async function findDeletableForm(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  formId: FormId,
): Promise<{ readonly name: string; readonly settings: string } | undefined> {
  const form = await findForm(transaction, accountId, formId);
  if (form !== undefined) await requireNotHeld(transaction, formId);
  return form;
}

async function findStored(transaction: DatabaseTransaction, formId: FormId): Promise<number> {
  const row = await transaction
    .selectFrom("form_count")
    .select("stored")
    .where("form_id", "=", formId)
    .executeTakeFirstOrThrow();
  return row.stored;
}

export async function addToStored(transaction: DatabaseTransaction, formId: FormId, difference: number): Promise<void> {
  await transaction
    .updateTable("form_count")
    .set({ stored: sql`stored + ${difference}` })
    .where("form_id", "=", formId)
    .execute();
}
