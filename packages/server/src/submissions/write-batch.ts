import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { compileOnce, isOneOf } from "../database/insert-rows.ts";
import { compileFormShareLock } from "../database/lock.ts";
import { commitPipeline, executePipeline, type LastStatements } from "../database/pipeline.ts";
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
}

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
    async (reachable) => (reachable.length === 0 ? { outcomes: [], deliveries: 0 } : write(reachable)),
  );
  const unavailable = { outcome: "unavailable" } as const;
  const outcomes = fillOutcomes<BatchEntry, EntryOutcome>(entries, isReached, result.outcomes, unavailable);
  return { outcomes, deliveries: result.deliveries };
}

/** Writes the submissions of a batch, their counters, events and deliveries in one transaction on this connection. */
export function writeBatch(
  submissions: SubmissionStore,
  connection: Database,
  entries: readonly BatchEntry[],
): Promise<BatchResult> {
  return commitPipeline(connection, (transaction) => write(submissions, transaction, entries));
}

async function write(
  submissions: SubmissionStore,
  transaction: DatabaseTransaction,
  entries: readonly BatchEntry[],
): Promise<LastStatements<BatchResult>> {
  const { forms, destinations, isDeleted } = await load(transaction, entries);
  // Keyed by the entry; submissions in their stored form.
  const wanted = new Map<BatchEntry, Submission>();
  for (const entry of entries) {
    const { submission, settingsSnapshot } = entry;
    const form = forms.get(submission.formId);
    if (form === undefined || form.settingsSnapshot !== settingsSnapshot || isDeleted(submission)) continue;
    // After what a bulk deletion removed while this was waiting, or readers would not see it.
    const receivedAt = Math.max(submission.receivedAt, form.visibleFrom);
    wanted.set(entry, receivedAt === submission.receivedAt ? submission : { ...submission, receivedAt });
  }
  const { inserted, counts } = await submissions.insertNew(transaction, [...wanted.values()]);
  const { deliveries, statements } = compileEvents(
    transaction,
    inserted.map((submission) => ({
      kind: "submission.created",
      formId: submission.formId,
      formName: forms.get(submission.formId)?.name ?? "",
      occurredAt: submission.receivedAt,
      submissionId: submission.id,
      content: fromRow,
    })),
    destinations,
  );
  const written = new Set(inserted);
  const outcomes = entries.map((entry): EntryOutcome => {
    const form = forms.get(entry.submission.formId);
    if (form === undefined) return { outcome: "form_gone" };
    if (form.settingsSnapshot !== entry.settingsSnapshot) return { outcome: "form_changed" };
    const stored = wanted.get(entry);
    return stored !== undefined && written.has(stored)
      ? { outcome: "created", receivedAt: stored.receivedAt }
      : { outcome: "taken" };
  });
  return { result: { outcomes, deliveries: deliveries.length }, last: [...counts, ...statements] };
}

interface CurrentForm {
  readonly name: string;
  readonly settingsSnapshot: string;
  readonly visibleFrom: number;
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
    .select(["form.id", "form_count.visible_from"])
    .select(formColumns)
    .where(isOneOf(transaction, "form.id", ids)),
);

// On a cluster the forms are on one server, and their counts on others, of which only those of these forms are asked.
const selectFormsAlone = compileOnce((transaction, ids) =>
  transaction
    .selectFrom("form")
    .select(["form.id", sql<number>`0`.as("visible_from")])
    .select(formColumns)
    .where(isOneOf(transaction, "form.id", ids)),
);
const selectVisibleFrom = compileOnce((transaction, ids) =>
  transaction
    .selectFrom("form_count")
    .select(["form_id as id", "visible_from"])
    .where(isOneOf(transaction, "form_id", ids)),
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
  const [, forms, webhooks, tombstones, counts] = await executePipeline(transaction, [
    compileFormShareLock(transaction, formIds),
    (isApart ? selectFormsAlone : selectForms)(transaction, formIds),
    selectDestinations(transaction, formIds),
    compileTombstones(
      transaction,
      entries.map(({ submission }) => submission),
    ),
    isApart ? selectVisibleFrom(transaction, formIds) : undefined,
  ]);
  const visibleFrom = new Map((isApart ? counts : forms).map((row) => [row.id, row.visible_from]));
  const deleted = new Set(tombstones.map(({ form_id, id }) => `${form_id}/${id}`));
  return {
    forms: new Map(
      forms.map((row) => [
        row.id,
        {
          name: row.name,
          settingsSnapshot: toSnapshot(row.key_version, row),
          visibleFrom: visibleFrom.get(row.id) ?? 0,
        },
      ]),
    ),
    destinations: readDestinations(webhooks),
    isDeleted: ({ formId, id }) => deleted.has(`${formId}/${id}`),
  };
}
