import type { FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { isOfForm } from "../database/form-scope.ts";
import { lockForm, selectForUpdateSkipLocked } from "../database/lock.ts";
import { removeLastRows } from "../database/remove-rows.ts";
import { repeatAfterDeadlock } from "../database/repeat.ts";
import type { TablesThatGo } from "../database/table-records.ts";
import { findHold, isNotHeld, isRowNotHeld } from "../forms/form-hold-store.ts";
import { deletionBatch } from "../submissions/batches.ts";
import { limitBytes, removeSubmissions } from "../submissions/submission-deletion-store.ts";
import { storedBytes } from "../submissions/submission-store.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { createBringEndForward } from "./ended-queue-store.ts";

/** How long a deleted submission's id is known: a retry of its post within this time does not bring it back. */
export const tombstoneMilliseconds = 30 * dayMilliseconds;

const smallRowsBatch = 1000;

/** The remains of deletions. Each call is one short transaction; `false` says that there was nothing to do. */
export interface PurgeStore {
  /** One batch of the submissions of a bulk delete, with their events. */
  purgeSubmissions(): Promise<boolean>;
  /** A batch of the deliveries that wait for each of some webhooks whose address was taken away. */
  endDeliveries(now: number): Promise<boolean>;
  /** One batch of the rows of a deleted form. */
  purgeForm(): Promise<boolean>;
  /** One batch of ids of deleted submissions that are remembered no longer. */
  purgeTombstones(now: number): Promise<boolean>;
}

export function createPurgeStore(database: Database): PurgeStore {
  return {
    // Deliveries that end at the same moment may lock the same rows of the queue in another order.
    purgeSubmissions: () =>
      repeatAfterDeadlock(() => database.transaction().execute((transaction) => purgeSubmissions(transaction))),
    endDeliveries: createBringEndForward(database),
    purgeForm: () => repeatAfterDeadlock(() => database.transaction().execute(purgeForm)),
    async purgeTombstones(now) {
      const { numDeletedRows } = await database
        .deleteFrom("submission_tombstone")
        .where(({ refTuple, selectFrom, eb }) =>
          eb(
            refTuple("id", "form_id"),
            "in",
            selectFrom("submission_tombstone as old")
              .select(["old.id", "old.form_id"])
              .where("old.deleted_at", "<", now - tombstoneMilliseconds)
              .limit(smallRowsBatch)
              .$asTuple("id", "form_id"),
          ),
        )
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}

async function purgeSubmissions(transaction: DatabaseTransaction): Promise<boolean> {
  let jobs = transaction
    .selectFrom("submission_purge")
    .select(["form_id", "received_before", "requested_at"])
    // Submissions that were deleted before a hold are out of sight, but their rows stay as long as it lasts.
    .where(isRowNotHeld("submission_purge.form_id"))
    // The lower bound first, so that each row's event carries the time of the delete that took it away.
    .orderBy("requested_at")
    .orderBy("received_before")
    .limit(1);
  if (isDistributed(transaction)) {
    // There a row is locked of one form, which is looked for first.
    const oldest = await jobs.executeTakeFirst();
    if (oldest === undefined) return false;
    jobs = jobs.where("form_id", "=", oldest.form_id);
  }
  const job = await selectForUpdateSkipLocked(transaction, jobs, "submission_purge").executeTakeFirst();
  if (job === undefined) return false;
  const formId = job.form_id as FormId; // written from one
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return true;
  const form = await transaction.selectFrom("form").select("name").where("id", "=", formId).executeTakeFirst();
  // A form that was deleted meanwhile emits nothing; `purgeForm` takes its rows.
  for (const from of form === undefined ? [] : (["submission", "submission_bin"] as const)) {
    const places = await findPlacesBefore(transaction, formId, from, job.received_before);
    if (form === undefined || places.length === 0) continue;
    const removal = { formId, formName: form.name, places, deletedAt: job.requested_at, from };
    await removeSubmissions(transaction, removal);
    return true;
  }
  await endJob(transaction, formId, job.received_before);
  return true;
}

async function findPlacesBefore(
  transaction: DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
  before: number,
) {
  const rows = await transaction
    .selectFrom(table)
    .select(["id", "sequence", "received_at", storedBytes])
    .where("form_id", "=", formId)
    .where("received_at", "<", before)
    .orderBy("received_at")
    .orderBy("sequence")
    .limit(deletionBatch)
    .execute();
  return limitBytes(rows);
}

/** After the last job of a form `visible_from` hides nothing any more, and new submissions need not be dated after it. */
async function endJob(transaction: DatabaseTransaction, formId: FormId, receivedBefore: number): Promise<void> {
  await transaction
    .deleteFrom("submission_purge")
    .where("form_id", "=", formId)
    .where("received_before", "=", receivedBefore)
    .execute();
  const other = await transaction
    .selectFrom("submission_purge")
    .select("form_id")
    .where("form_id", "=", formId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined)
    await transaction.updateTable("form_count").set({ visible_from: 0 }).where("form_id", "=", formId).execute();
}

/** One batch of one table; when no table has many left, the rest, the note that there was work included. */
async function purgeForm(transaction: DatabaseTransaction): Promise<boolean> {
  const jobs = transaction.selectFrom("form_purge").select("form_id").orderBy("requested_at").limit(1);
  const job = await selectForUpdateSkipLocked(transaction, jobs, "form_purge").executeTakeFirst();
  if (job === undefined) return false;
  const formId = job.form_id as FormId; // written from one
  for (const purge of Object.values<PurgeStep>(formSteps)) if (await purge(transaction, formId)) return true;
  await removeLastRows(transaction, "form", { id: formId });
  return true;
}

/** One batch of one table. False: it has no more rows of the form. */
type PurgeStep = (transaction: DatabaseTransaction, formId: FormId) => Promise<boolean>;

/** For each table whose record says that it goes in steps, in this order. */
const formSteps = {
  delivery: purgeDeliveries,
  event: purgeEvents,
  submission: (transaction, formId) => purgeSubmissionRows(transaction, formId, "submission"),
  submission_bin: (transaction, formId) => purgeSubmissionRows(transaction, formId, "submission_bin"),
  submission_tombstone: purgeTombstonesOf,
  envelope: purgeEnvelopes,
} satisfies Readonly<Record<TablesThatGo<"form", "in_steps">, PurgeStep>>;

/** Each row has up to 384 KiB. */
const envelopesBatch = 100;

async function purgeEnvelopes(transaction: DatabaseTransaction, formId: FormId): Promise<boolean> {
  const rows = await transaction
    .selectFrom("envelope")
    .select(["lowest_version", "removed_at", "revision"])
    .where("form_id", "=", formId)
    .limit(envelopesBatch)
    .execute();
  for (const { lowest_version, removed_at, revision } of rows)
    await transaction
      .deleteFrom("envelope")
      .where("form_id", "=", formId)
      .where("lowest_version", "=", lowest_version)
      .where("removed_at", "=", removed_at)
      .where("revision", "=", revision)
      .where(isNotHeld(formId))
      .execute();
  return rows.length > 0;
}

async function purgeDeliveries(transaction: DatabaseTransaction, formId: FormId): Promise<boolean> {
  const rows = await transaction
    .selectFrom("delivery")
    .select("id")
    .where("form_id", "=", formId)
    .limit(deletionBatch)
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  const isOfItsForm = isOfForm(transaction, formId);
  await transaction.deleteFrom("delivery_queue").where(isOfItsForm).where("delivery_id", "in", ids).execute();
  await transaction.deleteFrom("attempt").where(isOfItsForm).where("delivery_id", "in", ids).execute();
  await transaction.deleteFrom("delivery").where(isOfItsForm).where("id", "in", ids).execute();
  return true;
}

async function purgeEvents(transaction: DatabaseTransaction, formId: FormId): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("event")
    .where(isOfForm(transaction, formId))
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("event as old").select("old.id").where("old.form_id", "=", formId).limit(deletionBatch),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

async function purgeSubmissionRows(
  transaction: DatabaseTransaction,
  formId: FormId,
  from: "submission" | "submission_bin",
): Promise<boolean> {
  const places = await findPlacesBefore(transaction, formId, from, Number.MAX_SAFE_INTEGER);
  if (places.length === 0) return false;
  const sequences = places.map(({ sequence }) => sequence);
  await transaction
    .deleteFrom(from)
    .where(isOfForm(transaction, formId))
    .where("sequence", "in", sequences)
    .where(isNotHeld(formId))
    .execute();
  return true;
}

async function purgeTombstonesOf(transaction: DatabaseTransaction, formId: FormId): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("submission_tombstone")
    .where("form_id", "=", formId)
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("submission_tombstone as old")
        .select("old.id")
        .where("old.form_id", "=", formId)
        .limit(smallRowsBatch),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
