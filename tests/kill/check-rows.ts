import assert from "node:assert/strict";
import type { Database } from "../../packages/server/src/database/database.ts";
import { submissionBytes } from "../../packages/server/src/quotas/submission-bytes.ts";
import type { ChangeClient, FormLedger } from "./change-ledger.ts";

/** Deletes whose rows are not all gone yet. */
export async function countUnfinishedPurges(database: Database): Promise<number> {
  const forms = await database.selectFrom("form_purge").select("form_id").execute();
  const submissions = await database.selectFrom("submission_purge").select("form_id").execute();
  const bins = await database.selectFrom("form_bin").select("form_id").where("visible_from", ">", 0).execute();
  return forms.length + submissions.length + bins.length;
}

/** Tables whose rows belong to a form. */
const tables = [
  "form_key",
  "form_count",
  "form_day",
  "submission",
  "submission_tombstone",
  "submission_bin",
  "form_bin",
  "event",
  "delivery",
] as const;

/** Holds the rows to the ledgers, once every purge is over: counts equal rows, and each change has its one event. */
export async function checkRows(database: Database, clients: readonly ChangeClient[]): Promise<void> {
  const forms = clients.flatMap(({ form }) => form ?? []);
  for (const form of forms) {
    await checkCounts(database, form);
    await checkEvents(database, form);
  }
  const known = new Set(forms.map(({ formId }) => formId));
  for (const table of tables) {
    const rows = await database.selectFrom(table).select("form_id").distinct().execute();
    const left = rows.filter((row) => !known.has(row.form_id));
    assert.deepEqual(left, [], `rows of deleted forms in ${table}`);
  }
}

async function checkCounts(database: Database, { formId, stored, binned, deleted }: FormLedger): Promise<void> {
  const rows = await database.selectFrom("submission").select("id").where("form_id", "=", formId).execute();
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...stored].sort(), `${formId}: the rows`);
  const count = await database
    .selectFrom("form_count")
    .select(["stored", "received", "bytes"])
    .where("form_id", "=", formId)
    .executeTakeFirstOrThrow();
  const inBin = await database.selectFrom("submission_bin").select("id").where("form_id", "=", formId).execute();
  assert.deepEqual(inBin.map(({ id }) => id).sort(), [...binned].sort(), `${formId}: the rows of the bin`);
  let bytes = 0;
  for (const table of ["submission", "submission_bin"] as const) {
    const row = await database
      .selectFrom(table)
      .select(({ fn }) => fn.sum<number | null>(submissionBytes).as("bytes"))
      .where("form_id", "=", formId)
      .executeTakeFirstOrThrow();
    bytes += Number(row.bytes ?? 0);
  }
  assert.equal(Number(count.bytes), bytes, `${formId}: the bytes`);
  const received = stored.size + binned.size + deleted.size;
  assert.deepEqual([Number(count.stored), Number(count.received)], [stored.size, received], `${formId}: the counts`);
  const days = await database.selectFrom("form_day").select("received").where("form_id", "=", formId).execute();
  assert.equal(
    days.reduce((sum, day) => sum + Number(day.received), 0),
    received,
    `${formId}: the statistics`,
  );
}

async function checkEvents(database: Database, { formId, stored, binned, deleted, moduli }: FormLedger): Promise<void> {
  const events = await database
    .selectFrom("event")
    .leftJoin("delivery", (join) =>
      join.onRef("delivery.form_id", "=", "event.form_id").onRef("delivery.event_id", "=", "event.id"),
    )
    .select(["event.kind", "event.submission_id", "event.body", "event.body_layout", "delivery.id as delivery"])
    .where("event.form_id", "=", formId)
    .execute();
  assert.ok(
    events.every(({ delivery }) => delivery !== null),
    `${formId}: an event without a delivery`,
  );
  // Until its delivery ends, and as long as its submission is stored, an event has a body; built ones have their rows.
  const isStored = (id: string | null) => id !== null && (stored.has(id) || binned.has(id));
  for (const event of events.filter(({ kind }) => kind === "submission.created")) {
    const isBuilt = event.body_layout !== null;
    assert.ok(!isStored(event.submission_id) || isBuilt, `${formId}: the event of a stored submission has no body`);
    assert.ok(isStored(event.submission_id) || !isBuilt, `${formId}: the row of an event's body is gone`);
  }
  const submissionsOf = (kind: string) =>
    events
      .filter((event) => event.kind === kind)
      .map((event) => event.submission_id ?? "")
      .sort();
  // Sorted lists, so one that came twice would show.
  assert.deepEqual(
    submissionsOf("submission.created"),
    [...stored, ...binned, ...deleted].sort(),
    `${formId}: created`,
  );
  assert.deepEqual(submissionsOf("submission.deleted"), [...deleted].sort(), `${formId}: deleted`);
  const rotations = events
    .filter(({ kind }) => kind === "form.keys_rotated")
    .map(({ body }) => JSON.parse(Buffer.from(body ?? []).toString()).keys)
    .map(({ keyVersion, previousKeyVersion, publicKey }) => [keyVersion, previousKeyVersion, publicKey.n])
    .sort(([left], [right]) => left - right);
  assert.deepEqual(
    rotations,
    moduli.slice(1).map((modulus, index) => [index + 2, index + 1, modulus]),
    `${formId}: rotations`,
  );
}
