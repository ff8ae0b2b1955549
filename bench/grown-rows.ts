/** The rows of a grown database, for `grown-service.ts`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { createId, type FormId, type SubmissionId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database } from "../packages/server/src/database/database.ts";
import { kindOf } from "../packages/server/src/database/kind.ts";
import type { SecretBox } from "../packages/server/src/instance/secret-box.ts";
import { recordEvents } from "../packages/server/src/outbox/record-events.ts";
import { createRowCursors } from "../packages/server/src/submissions/row-cursor.ts";
import { insertSubmissions } from "../packages/server/src/testing/insert-submissions.ts";

const batch = 2000;
const dayMilliseconds = 86_400_000;
/** The deliveries are due from here on: the service's own worker leaves them alone, and a claim says that it is later. */
export const due = 4_000_000_000_000;
export const pageSize = 10;
const sampleMax = 10_000;

export interface Sample {
  readonly formId: FormId;
  readonly id: SubmissionId;
}

export interface Filling {
  /** Each gets every so many-th submission. */
  readonly forms: readonly FormId[];
  /** The same with the deliveries: forms with a webhook URL. */
  readonly notified: readonly FormId[];
  readonly count: number;
  /** When the newest submission came. */
  readonly newest: number;
  /** By `performance.now()`: what is not written by then is left out. */
  readonly endsAt: number;
}

/** Writes submissions and as many deliveries, a batch at least. Gives how many, and some of the submissions. */
export async function fillDatabase(
  database: Database,
  { forms, notified, count, newest, endsAt }: Filling,
): Promise<{ readonly filled: number; readonly samples: readonly Sample[] }> {
  const samples: Sample[] = [];
  let filled = 0;
  do {
    const indexes = Array.from({ length: Math.min(batch, count - filled) }, (_, index) => filled + index);
    const rows = indexes.map((index) =>
      createRow(pick(forms, index), newest - 364 * dayMilliseconds * (1 - index / count)),
    );
    await insertSubmissions(database, rows);
    await insertDeliveries(database, indexes, notified);
    const step = Math.ceil(count / sampleMax);
    for (let index = 0; index < rows.length; index += step) samples.push(pick(rows, index));
    filled += rows.length;
    // SQLite's statements leave the event loop no turn, in which it would hear that the service closed a connection.
    await nextTurn();
  } while (filled < count && performance.now() < endsAt);
  await tidy(database);
  return { filled, samples };
}

/** The one at this place, counted round and round. */
export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("Nothing to pick from");
  return item;
}

/** 1.6 kB, like a short sealed submission. */
function createRow(formId: FormId, time: number) {
  const receivedAt = Math.floor(time);
  const payload = {
    version: "sp1" as const,
    ...{ data: new Uint8Array(1040), key: new Uint8Array(384), iv: new Uint8Array(12) },
  };
  const id = createId("submission", receivedAt);
  return { formId, id, keyVersion: 1, payload, timestamp: receivedAt, receivedAt };
}

/** Events with short bodies, and each with its delivery. */
async function insertDeliveries(
  database: Database,
  indexes: readonly number[],
  notified: readonly FormId[],
): Promise<void> {
  const events = indexes.map((index) => {
    const occurredAt = due + index;
    const content = { submission: { id: createId("submission", occurredAt) } };
    const kind = "submission.deleted" as const;
    return { kind, formId: pick(notified, index), formName: "Notified", occurredAt, content };
  });
  await database.transaction().execute((transaction) => recordEvents(transaction, events));
}

/** The database's own upkeep in the minutes after, which it would otherwise do during the measurement. */
async function tidy(database: Database): Promise<void> {
  if (kindOf(database) === "postgres") await sql`vacuum analyze`.execute(database);
  else await sql`pragma wal_checkpoint(truncate)`.execute(database);
}

/** The cursor that stands before this page, counted from 1; `undefined` for the first. Walked to by the database, which takes a moment. */
export async function findCursor(
  database: Database,
  secretBox: SecretBox,
  formId: FormId,
  page: number,
): Promise<string | undefined> {
  if (page <= 1) return undefined;
  const row = await database
    .selectFrom("submission")
    .select(["received_at", "sequence"])
    .where("form_id", "=", formId)
    .orderBy("received_at", "desc")
    .orderBy("sequence", "desc")
    .offset((page - 1) * pageSize - 1)
    .limit(1)
    .executeTakeFirstOrThrow();
  return createRowCursors(secretBox).encode(formId, [row.received_at, row.sequence]);
}
