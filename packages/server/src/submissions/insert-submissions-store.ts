import { type FormId, plainVersion } from "@sealpost/wire";
import type { CompiledQuery } from "kysely";
import type { ColumnType } from "../database/column-array.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { createInsert, createInsertNew } from "../database/insert-rows.ts";
import type { SubmissionTable } from "../database/submission-tables.ts";
import { rowBytes } from "../quotas/submission-bytes.ts";
import { toDay } from "../statistics/statistics.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { printNextInOrder } from "./row-order.ts";
import type { Submission } from "./submission.ts";

/** Writes those whose id their form does not have yet. Gives the ones written, and the statements that count them. */
export async function insertSubmissions(
  transaction: DatabaseTransaction,
  submissions: readonly Submission[],
): Promise<{ readonly inserted: readonly Submission[]; readonly counts: readonly CompiledQuery[] }> {
  const rows = new Map(submissions.map((submission) => [toRow(submission), submission]));
  const written = await insertNewRows(transaction, [...rows.keys()]);
  const inserted = written.flatMap((row) => {
    const submission = rows.get(row);
    return submission === undefined ? [] : [{ submission, bytes: bytesOf(row) }];
  });
  return {
    inserted: inserted.map(({ submission }) => submission),
    counts: compileCounts(transaction, inserted),
  };
}

/**
 * Adds to the counters with one statement each, however many submissions, forms and days. Rows are written in the order of
 * the values: in the same one by every process, so that two batches with the same forms never wait for each other.
 */
function compileCounts(transaction: DatabaseTransaction, written: readonly WrittenSubmission[]): CompiledQuery[] {
  if (written.length === 0) return [];
  const forms = tally(written, ({ submission }) => submission.formId);
  const days = tally(
    written,
    ({ submission: { formId, receivedAt } }) => `${formId}/${Math.floor(receivedAt / dayMilliseconds)}`,
  );
  return [
    addToFormCounts(
      transaction,
      forms.map(({ formId, received, bytes, newest }) => [formId, received, received, bytes, newest]),
    ),
    addToDayCounts(
      transaction,
      days.map(({ formId, receivedAt, received }) => [formId, toDay(receivedAt), received]),
    ),
  ];
}

const addToFormCounts = createInsert({
  table: "form_count",
  columns: { form_id: "text", stored: "bigint", received: "bigint", bytes: "bigint", newest_received_at: "bigint" },
  // The rows are there since their forms were made: this only ever updates.
  conflict:
    "on conflict (form_id) do update set stored = form_count.stored + excluded.stored, received = form_count.received + excluded.received, bytes = form_count.bytes + excluded.bytes, " +
    `newest_received_at = ${printNextInOrder("excluded.newest_received_at", "form_count.newest_received_at")}`,
});

const addToDayCounts = createInsert({
  table: "form_day",
  columns: { form_id: "text", day: "text", received: "bigint" },
  conflict: "on conflict (form_id, day) do update set received = form_day.received + excluded.received",
});

/** How many there are of each key, in the order of the keys. */
function tally(submissions: readonly WrittenSubmission[], keyOf: (written: WrittenSubmission) => string) {
  const counts = new Map<
    string,
    { readonly formId: FormId; readonly receivedAt: number; received: number; bytes: number; newest: number }
  >();
  for (const written of submissions) {
    const { formId, receivedAt } = written.submission;
    const entry = counts.get(keyOf(written));
    if (entry === undefined)
      counts.set(keyOf(written), { formId, receivedAt, received: 1, bytes: written.bytes, newest: receivedAt });
    else {
      entry.received += 1;
      entry.bytes += written.bytes;
      entry.newest = Math.max(entry.newest, receivedAt);
    }
  }
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry);
}

const insertNewRows = createInsertNew({
  table: "submission",
  columns: {
    form_id: "text",
    id: "text",
    key_version: "bigint",
    version: "text",
    data: "bytea",
    key: "bytea",
    iv: "bytea",
    fields: "text",
    timestamp: "bigint",
    received_at: "bigint",
    posted_digest: "text",
  } satisfies Partial<Record<keyof SubmissionTable, ColumnType>>,
  key: ["form_id", "id"],
});

/** The values of the columns of `insertNewRows`. */
function toRow({
  formId,
  id,
  keyVersion,
  payload,
  timestamp,
  receivedAt,
  postedDigest,
}: Submission): readonly unknown[] {
  const content =
    payload.version === plainVersion
      ? [null, null, null, JSON.stringify(payload.fields)]
      : [payload.data, payload.key, payload.iv, null];
  return [formId, id, keyVersion, payload.version, ...content, timestamp, receivedAt, postedDigest ?? null];
}

interface WrittenSubmission {
  readonly submission: Submission;
  readonly bytes: number;
}

/** The bytes of a row of `toRow`; `submissionBytes` is the same for a stored one. */
function bytesOf(row: readonly unknown[]): number {
  let bytes = rowBytes;
  for (const value of row.slice(4, 8)) {
    if (value instanceof Uint8Array) bytes += value.length;
    else if (typeof value === "string") bytes += Buffer.byteLength(value);
  }
  return bytes;
}
