import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { compileOnce, isOneOf } from "../database/insert-rows.ts";
import { compileFormShareLock } from "../database/lock.ts";
import { commitReading, executePipeline, type ReadStatements } from "../database/pipeline.ts";
import { fillOutcomes, type Workers } from "../database/workers.ts";
import type { Form } from "../forms/form.ts";
import {
  printCheckedSettings,
  type SettingColumns,
  settingColumns,
  toSettingColumns,
} from "../forms/setting-columns.ts";
import { fromRow } from "../outbox/event.ts";
import {
  compileEvents,
  readDestinations,
  selectDestinations,
  type WebhookDestinations,
} from "../outbox/record-events.ts";
import { compileClusterPlaces, compileRaise, type RaisedSubmission } from "./receipt-order-store.ts";
import { nextInOrder } from "./row-order.ts";
import type { Submission } from "./submission.ts";
import type { SubmissionStore } from "./submission-store.ts";
import { compileTombstones } from "./tombstones-store.ts";

/** A submission that was checked, and what of its form it was checked against (`snapshotOf`). */
export interface BatchEntry {
  readonly submission: Submission;
  readonly settingsSnapshot: string;
}

export type EntryOutcome =
  | { readonly outcome: "created"; readonly receivedAt: number }
  /** Its id is that of a submission that is there, or was. */
  | { readonly outcome: "taken" }
  /** The form is no longer what the submission was checked against. */
  | { readonly outcome: "form_changed" }
  | { readonly outcome: "form_gone" }
  /** The server that has the form is away: nothing was written. */
  | { readonly outcome: "unavailable" };

export interface BatchResult {
  /** One for each entry, in their order. */
  readonly outcomes: readonly EntryOutcome[];
  /** How many deliveries became due. */
  readonly deliveries: number;
  /** How far the newest submission of a form was ahead of the clock, at most; 0 where none was. */
  readonly aheadMilliseconds: number;
}

/** The result of a batch without entries. */
export const nothingWritten: BatchResult = { outcomes: [], deliveries: 0, aheadMilliseconds: 0 };

const snapshots = new WeakMap<Pick<Form, "settings" | "keyVersion">, string>();

/** Everything that a submission is checked against, as one text to compare. Remembered: a form is never changed in place. */
export function snapshotOf(form: Pick<Form, "settings" | "keyVersion">): string {
  const known = snapshots.get(form);
  if (known !== undefined) return known;
  const settingsSnapshot = toSnapshot(form.keyVersion, toSettingColumns(form.settings));
  snapshots.set(form, settingsSnapshot);
  return settingsSnapshot;
}

function toSnapshot(keyVersion: number, columns: SettingColumns): string {
  return `${keyVersion}/${printCheckedSettings(columns)}`;
}

/** `writeBatch`, on a cluster without the forms of workers that are away, which would take the other forms along. */
export async function writeReachable(
  workers: Workers,
  entries: readonly BatchEntry[],
  write: (entries: readonly BatchEntry[]) => Promise<BatchResult>,
): Promise<BatchResult> {
  const { result, isReached } = await workers.withReachable(
    entries,
    ({ submission }) => submission.formId,
    async (reachable) => (reachable.length === 0 ? nothingWritten : write(reachable)),
  );
  const unavailable = { outcome: "unavailable" } as const;
  const outcomes = fillOutcomes<BatchEntry, EntryOutcome>(entries, isReached, result.outcomes, unavailable);
  return { ...result, outcomes };
}

/** Writes the submissions of a batch, their counters, events and deliveries in one transaction on this connection. */
export function writeBatch(
  submissions: SubmissionStore,
  connection: Database,
  entries: readonly BatchEntry[],
): Promise<BatchResult> {
  return commitReading(connection, (transaction) => write(submissions, transaction, entries));
}

async function write(
  submissions: SubmissionStore,
  transaction: DatabaseTransaction,
  entries: readonly BatchEntry[],
): Promise<ReadStatements<BatchResult>> {
  const { forms, destinations, isDeleted } = await load(transaction, entries);
  const isWanted = ({ submission, settingsSnapshot }: BatchEntry) =>
    forms.get(submission.formId)?.settingsSnapshot === settingsSnapshot && !isDeleted(submission);
  const { times, aheadMilliseconds } = dateForms(entries.filter(isWanted), forms);
  // Keyed by the entry; submissions in their stored form.
  const wanted = new Map<BatchEntry, Submission>();
  /** Events happen, and deliveries are due, by the clock: it may be a day until it has come to the time of receipt. */
  const clockTimes = new Map<Submission, number>();
  for (const entry of entries) {
    const receivedAt = times.get(entry.submission.formId);
    if (receivedAt === undefined || !isWanted(entry)) continue;
    const stored = { ...entry.submission, receivedAt };
    wanted.set(entry, stored);
    clockTimes.set(stored, entry.submission.receivedAt);
  }
  const { inserted, counts } = await submissions.insertNew(transaction, [...wanted.values()]);
  const { deliveries, statements } = compileEvents(
    transaction,
    inserted.map((submission) => ({
      kind: "submission.created",
      formId: submission.formId,
      formName: forms.get(submission.formId)?.name ?? "",
      occurredAt: clockTimes.get(submission) ?? submission.receivedAt,
      submissionId: submission.id,
      content: fromRow,
    })),
    destinations,
  );
  const written = new Set(inserted);
  // After the counts, which have locked the forms.
  const last = [compileRaise(transaction, inserted), ...statements];
  return {
    last: [...counts, ...last],
    read(rows) {
      const rowsOfRaise = (rows[counts.length] ?? []) as readonly RaisedSubmission[]; // the first after the counts
      const raised = new Map(rowsOfRaise.map((row) => [row.form_id, row.received_at]));
      const outcomes = entries.map((entry): EntryOutcome => {
        const form = forms.get(entry.submission.formId);
        if (form === undefined) return { outcome: "form_gone" };
        if (form.settingsSnapshot !== entry.settingsSnapshot) return { outcome: "form_changed" };
        const stored = wanted.get(entry);
        return stored !== undefined && written.has(stored)
          ? { outcome: "created", receivedAt: raised.get(stored.formId) ?? stored.receivedAt }
          : { outcome: "taken" };
      });
      return { outcomes, deliveries: deliveries.length, aheadMilliseconds };
    },
  };
}

/**
 * The time of receipt of all submissions of a form in this batch, which become visible together: after all that is visible, and
 * after what a bulk deletion removed while they were waiting, or readers would not see them.
 */
function dateForms(entries: readonly BatchEntry[], forms: ReadonlyMap<string, CurrentForm>) {
  const times = new Map<string, number>();
  let aheadMilliseconds = 0;
  for (const { submission } of entries)
    times.set(submission.formId, Math.max(times.get(submission.formId) ?? 0, submission.receivedAt));
  for (const [formId, latest] of times) {
    const { newest = 0, visibleFrom = 0 } = forms.get(formId) ?? {};
    aheadMilliseconds = Math.max(aheadMilliseconds, newest - latest);
    times.set(formId, nextInOrder(Math.max(latest, visibleFrom), newest));
  }
  return { times, aheadMilliseconds };
}

interface CurrentForm {
  readonly name: string;
  readonly settingsSnapshot: string;
  readonly visibleFrom: number;
  /** The time of receipt of the newest submission that was stored. */
  readonly newest: number;
}

const formColumns = [
  "form.name",
  "form.key_version",
  ...settingColumns.map((column) => `form.${column}` as const),
] as const;

const selectForms = compileOnce((transaction, ids) =>
  transaction
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .select(["form.id", "form_count.visible_from", "form_count.newest_received_at"])
    .select(formColumns)
    .where(isOneOf(transaction, "form.id", ids)),
);

// On a cluster the forms are on one server, and their counts on others, of which only those of these forms are asked.
const selectFormsAlone = compileOnce((transaction, ids) =>
  transaction
    .selectFrom("form")
    .select(["form.id", sql<number>`0`.as("visible_from"), sql<number>`0`.as("newest_received_at")])
    .select(formColumns)
    .where(isOneOf(transaction, "form.id", ids)),
);

/** The current state of the batch's forms: a form may have been changed or deleted since the request was checked. */
async function load(
  transaction: DatabaseTransaction,
  entries: readonly BatchEntry[],
): Promise<{
  readonly forms: ReadonlyMap<string, CurrentForm>;
  readonly destinations: WebhookDestinations;
  readonly isDeleted: (submission: Submission) => boolean;
}> {
  const formIds = [...new Set(entries.map(({ submission }) => submission.formId))];
  const isApart = isDistributed(transaction);
  const [, forms, webhooks, tombstones, places] = await executePipeline(transaction, [
    compileFormShareLock(transaction, formIds),
    (isApart ? selectFormsAlone : selectForms)(transaction, formIds),
    selectDestinations(transaction, formIds),
    compileTombstones(
      transaction,
      entries.map(({ submission }) => submission),
    ),
    isApart ? compileClusterPlaces(formIds) : undefined,
  ]);
  const placeOf = new Map((isApart ? places : forms).map((row) => [row.id, row]));
  const deleted = new Set(tombstones.map(({ form_id, id }) => `${form_id}/${id}`));
  return {
    forms: new Map(
      forms.map((row) => [
        row.id,
        {
          name: row.name,
          settingsSnapshot: toSnapshot(row.key_version, row),
          visibleFrom: placeOf.get(row.id)?.visible_from ?? 0,
          newest: placeOf.get(row.id)?.newest_received_at ?? 0,
        },
      ]),
    ),
    destinations: readDestinations(webhooks),
    isDeleted: ({ formId, id }) => deleted.has(`${formId}/${id}`),
  };
}
