import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { lockForm, selectForUpdateSkipLocked } from "../database/lock.ts";
import { removeLastRows } from "../database/remove-rows.ts";
import { repeatAfterDeadlock } from "../database/repeat.ts";
import { createRound } from "../database/round.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { createRowsApart } from "../database/rows-apart.ts";
import type { TablesThatGo } from "../database/table-records.ts";
import { findHold, isNotHeld, isRowNotHeld } from "../forms/form-hold-store.ts";
import { deletionBatch } from "../submissions/batches.ts";
import { limitBytes, removeSubmissions, type SizedPlace } from "../submissions/submission-deletion-store.ts";
import { storedBytes } from "../submissions/submission-store.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { createBringEndForward } from "./ended-queue-store.ts";

/** How long a deleted submission's id is known: a retry of its post within this time does not bring it back. */
export const tombstoneMilliseconds = 30 * dayMilliseconds;

const smallRowsBatch = 1000;
/** Forms of one step: each is a transaction of its own, and a service that stops waits for them. */
const formsAtOnceMax = 5;

/** The remains of deletions. Each call is some short transactions, of a form each, so that one of which it fails keeps no other one waiting; `false` says that there was nothing to do. */
export interface PurgeStore {
  /**
   * A batch of the submissions of a bulk delete that was asked for after `orderedAfter`, of each form that has one, with their events.
   * What an earlier one takes stays, and so does what was in the bin by then.
   */
  purgeSubmissions(orderedAfter?: number): Promise<boolean>;
  /** A batch of the deliveries that wait for each of some webhooks whose address was taken away. */
  endDeliveries(now: number): Promise<boolean>;
  /** A batch of the rows of each deleted form. */
  purgeForm(): Promise<boolean>;
  /** One batch of ids of deleted submissions that are remembered no longer. */
  purgeTombstones(now: number): Promise<boolean>;
}

export function createPurgeStore(database: Database): PurgeStore {
  return {
    purgeSubmissions: createPurge(
      "submission_purge",
      createRowsApart({
        work: inTransaction(purgeSubmissions),
        find: (formId, orderedAfter: number, after: PurgedRow | undefined, max) =>
          findPurged(database, formId, orderedAfter, { after, max }),
        remove: (formId, orderedAfter, rows) =>
          inTransaction((transaction, id) => removePurged(transaction, id, rows))(formId, orderedAfter),
        nameOf: ({ id }) => id,
      }),
    ),
    endDeliveries: createBringEndForward(database),
    purgeForm: createPurge("form_purge", inTransaction(purgeForm)),
    purgeTombstones: createRowRemoval(database, {
      table: "submission_tombstone",
      key: ["id", "form_id"],
      by: "deleted_at",
      isDue: (now, name) => sql`${name("deleted_at")} < ${now - tombstoneMilliseconds}`,
    }),
  };

  /** A piece of the work of each form with a job in the table, some forms in each step. */
  function createPurge(
    table: "submission_purge" | "form_purge",
    work: (formId: FormId, orderedAfter: number) => Promise<boolean>,
  ): (orderedAfter?: number) => Promise<boolean> {
    const round = createRound({
      max: formsAtOnceMax,
      async find(after, max, orderedAfter: number) {
        let jobs = database.selectFrom(table).select("form_id").distinct().where("form_id", ">", after);
        jobs = jobs.where("requested_at", ">", orderedAfter);
        // Submissions that were deleted before a hold are out of sight, but their rows stay as long as it lasts.
        if (table === "submission_purge") jobs = jobs.where(isRowNotHeld("submission_purge.form_id"));
        const rows = await jobs.orderBy("form_id").limit(max).execute();
        return rows.map(({ form_id }) => form_id as FormId); // written from one
      },
      work,
    });
    return (orderedAfter = 0) => round(orderedAfter);
  }

  /** Deliveries that end at the same moment may lock the same rows of the queue in another order. */
  function inTransaction(
    purge: (transaction: DatabaseTransaction, formId: FormId, orderedAfter: number) => Promise<boolean>,
  ) {
    return (formId: FormId, orderedAfter: number) =>
      repeatAfterDeadlock(() =>
        database.transaction().execute((transaction) => purge(transaction, formId, orderedAfter)),
      );
  }
}

async function purgeSubmissions(
  transaction: DatabaseTransaction,
  formId: FormId,
  orderedAfter: number,
): Promise<boolean> {
  const jobs = await selectForUpdateSkipLocked(
    transaction,
    selectJobs(transaction, formId, orderedAfter),
    "submission_purge",
  ).execute();
  if (jobs.length === 0) return false;
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return false;
  const form = await transaction.selectFrom("form").select("name").where("id", "=", formId).executeTakeFirst();
  const receivedFrom = await findHeldBefore(transaction, formId, orderedAfter);
  for (const job of jobs) {
    const bounds = { before: job.received_before, receivedFrom, binnedAfter: orderedAfter };
    // A form that was deleted meanwhile emits nothing; `purgeForm` takes its rows.
    for (const from of form === undefined ? [] : (["submission", "submission_bin"] as const)) {
      const places = await findPlacesBefore(transaction, formId, from, bounds);
      if (form === undefined || places.length === 0) continue;
      const removal = { formId, formName: form.name, places, deletedAt: job.requested_at, from };
      await removeSubmissions(transaction, removal);
      return true;
    }
    // It hides what stays in the bin for now, which nothing else may hide.
    if (form !== undefined && (await isLeftInBin(transaction, formId, bounds))) continue;
    await endJob(transaction, formId, job.received_before);
    return true;
  }
  return false;
}

/** The lower bound first, so that each row's event carries the time of the delete that took it away. */
const selectJobs = (target: Database | DatabaseTransaction, formId: FormId, orderedAfter: number) =>
  target
    .selectFrom("submission_purge")
    .select(["received_before", "requested_at"])
    .where("form_id", "=", formId)
    .where("requested_at", ">", orderedAfter)
    .orderBy("requested_at")
    .orderBy("received_before");

/** Submissions received before this are taken by bulk deletes that wait; 0 where none does. */
async function findHeldBefore(
  target: Database | DatabaseTransaction,
  formId: FormId,
  orderedAfter: number,
): Promise<number> {
  const { before } = await target
    .selectFrom("submission_purge")
    .select(({ fn }) => fn.max("received_before").as("before"))
    .where("form_id", "=", formId)
    .where("requested_at", "<=", orderedAfter)
    .executeTakeFirstOrThrow();
  return Number(before ?? 0);
}

async function isLeftInBin(
  transaction: DatabaseTransaction,
  formId: FormId,
  { before, receivedFrom, binnedAfter }: PlaceBounds,
): Promise<boolean> {
  if (binnedAfter === 0) return false;
  const left = await transaction
    .selectFrom("submission_bin")
    .select("id")
    .where("form_id", "=", formId)
    .where("received_at", ">=", receivedFrom)
    .where("received_at", "<", before)
    .limit(1)
    .executeTakeFirst();
  return left !== undefined;
}

/** A row that a bulk delete took away, and the time of the delete. */
interface PurgedRow extends SizedPlace {
  readonly from: "submission" | "submission_bin";
  readonly deletedAt: number;
}

/** The form's rows that any of its jobs takes, those in the bin last. */
async function findPurged(
  database: Database,
  formId: FormId,
  orderedAfter: number,
  { after, max }: { readonly after: PurgedRow | undefined; readonly max: number },
): Promise<readonly PurgedRow[]> {
  const jobs = await selectJobs(database, formId, orderedAfter).execute();
  const receivedFrom = await findHeldBefore(database, formId, orderedAfter);
  const before = jobs.reduce((latest, { received_before }) => Math.max(latest, received_before), 0);
  for (const from of ["submission", "submission_bin"] as const) {
    if (after?.from === "submission_bin" && from === "submission") continue;
    let rows = selectPlaces(database, formId, from, { before, receivedFrom, binnedAfter: orderedAfter }).limit(max);
    if (after?.from === from)
      rows = rows.where(sql<boolean>`(received_at, sequence) > (${after.received_at}, ${after.sequence})`);
    const places = limitBytes(await rows.execute());
    if (places.length > 0)
      return places.flatMap((place) => {
        const job = jobs.find(({ received_before }) => place.received_at < received_before);
        return job === undefined ? [] : [{ ...place, from, deletedAt: job.requested_at }];
      });
  }
  return [];
}

/** All of one table. */
async function removePurged(
  transaction: DatabaseTransaction,
  formId: FormId,
  rows: readonly PurgedRow[],
): Promise<boolean> {
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return false;
  const form = await transaction.selectFrom("form").select("name").where("id", "=", formId).executeTakeFirst();
  if (form === undefined) return false;
  const from = rows[0]?.from ?? "submission";
  // Another process may have removed some meanwhile.
  const left = await transaction
    .selectFrom(from)
    .select("id")
    .where("form_id", "=", formId)
    .where(
      "sequence",
      "in",
      rows.map(({ sequence }) => sequence),
    )
    .execute();
  const ids = new Set(left.map(({ id }) => id));
  for (const [deletedAt, places] of Map.groupBy(
    rows.filter(({ id }) => ids.has(id)),
    (row) => row.deletedAt,
  ))
    await removeSubmissions(transaction, { formId, formName: form.name, places, deletedAt, from });
  return true;
}

/** Submissions received from `receivedFrom` on and before `before`; of those in the bin, the ones that came there after `binnedAfter`. */
interface PlaceBounds {
  readonly before: number;
  readonly receivedFrom: number;
  readonly binnedAfter: number;
}

const everything: PlaceBounds = { before: Number.MAX_SAFE_INTEGER, receivedFrom: 0, binnedAfter: 0 };

function selectPlaces(
  target: Database | DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
  { before, receivedFrom, binnedAfter }: PlaceBounds,
) {
  let rows = target
    .selectFrom(table)
    .select(["id", "sequence", "received_at", storedBytes])
    .where("form_id", "=", formId)
    .where("received_at", ">=", receivedFrom)
    .where("received_at", "<", before);
  // The plus keeps the index to the time of receipt.
  if (table === "submission_bin" && binnedAfter > 0) rows = rows.where(sql<boolean>`+binned_at > ${binnedAfter}`);
  return rows.orderBy("received_at").orderBy("sequence");
}

async function findPlacesBefore(
  transaction: DatabaseTransaction,
  formId: FormId,
  table: "submission" | "submission_bin",
  bounds: PlaceBounds,
) {
  return limitBytes(await selectPlaces(transaction, formId, table, bounds).limit(deletionBatch).execute());
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
async function purgeForm(transaction: DatabaseTransaction, formId: FormId): Promise<boolean> {
  const jobs = transaction.selectFrom("form_purge").select("form_id").where("form_id", "=", formId);
  const job = await selectForUpdateSkipLocked(transaction, jobs, "form_purge").executeTakeFirst();
  if (job === undefined) return false;
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
  const places = await findPlacesBefore(transaction, formId, from, everything);
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
