import { type FormId, plainVersion, type SubmissionId, sealedVersion } from "@sealpost/wire";
import { type Insertable, type Selectable, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { SubmissionTable } from "../database/schema.ts";
import type { StoredPayload, Submission } from "./submission.ts";

/** Where a page of submissions ended: newest first by the time of receipt, then arrival. */
export interface SubmissionCursor {
  readonly receivedAt: number;
  readonly sequence: number;
}

export interface ListedSubmission {
  readonly submission: Submission;
  readonly cursor: SubmissionCursor;
}

export interface SubmissionQuery {
  readonly limit: number;
  readonly after?: SubmissionCursor | undefined;
  /** Bounds of `receivedAt` in milliseconds, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface SubmissionStore {
  /** Writes those whose id their form does not have yet, and counts them. Returns the ones written. */
  insertNew(transaction: DatabaseTransaction, submissions: readonly Submission[]): Promise<Submission[]>;
  find(formId: FormId, id: string): Promise<Submission | undefined>;
  list(formId: FormId, query: SubmissionQuery): Promise<ListedSubmission[]>;
  /** How many of the form's submissions are stored between the bounds. */
  count(formId: FormId, bounds: Pick<SubmissionQuery, "from" | "to">): Promise<number>;
}

export function createSubmissionStore(database: Database): SubmissionStore {
  return {
    async insertNew(transaction, submissions) {
      const inserted = await transaction
        .insertInto("submission")
        .values(submissions.map(toRow))
        .onConflict((conflict) => conflict.columns(["form_id", "id"]).doNothing())
        .returning(["form_id", "id"])
        .execute();
      const isNew = new Set(inserted.map(({ form_id, id }) => `${form_id}/${id}`));
      // The first of two equal ids in one batch is the one that was written.
      const written = submissions.filter(({ formId, id }) => isNew.delete(`${formId}/${id}`));
      await count(transaction, written);
      return written;
    },
    async find(formId, id) {
      const row = await database
        .selectFrom("submission")
        .selectAll()
        .where("form_id", "=", formId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && parseSubmission(row);
    },
    async list(formId, { limit, after, from, to }) {
      let query = database.selectFrom("submission").selectAll().where("form_id", "=", formId);
      if (from !== undefined) query = query.where("received_at", ">=", from);
      if (to !== undefined) query = query.where("received_at", "<=", to);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("received_at", "sequence"), "<", tuple(after.receivedAt, after.sequence)),
        );
      }
      const rows = await query.orderBy("received_at", "desc").orderBy("sequence", "desc").limit(limit).execute();
      return rows.map((row) => ({
        submission: parseSubmission(row),
        cursor: { receivedAt: row.received_at, sequence: row.sequence },
      }));
    },
    async count(formId, { from, to }) {
      if (from === undefined && to === undefined) {
        const row = await database
          .selectFrom("form_count")
          .select("stored")
          .where("form_id", "=", formId)
          .executeTakeFirst();
        return row?.stored ?? 0;
      }
      let query = database
        .selectFrom("submission")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("form_id", "=", formId);
      if (from !== undefined) query = query.where("received_at", ">=", from);
      if (to !== undefined) query = query.where("received_at", "<=", to);
      return Number((await query.executeTakeFirstOrThrow()).count);
    },
  };
}

/** Adds to the counters once per form and day, however many submissions came. */
async function count(transaction: DatabaseTransaction, written: readonly Submission[]): Promise<void> {
  for (const [formId, { received }] of tally(written, ({ formId }) => formId)) {
    await transaction
      .updateTable("form_count")
      .set({ stored: sql`stored + ${received}`, received: sql`received + ${received}` })
      .where("form_id", "=", formId)
      .execute();
  }
  const days = tally(written, ({ formId, receivedAt }) => `${formId}/${toDay(receivedAt)}`);
  for (const { formId, receivedAt, received } of days.values()) {
    await transaction
      .insertInto("form_day")
      .values({ form_id: formId, day: toDay(receivedAt), received })
      .onConflict((conflict) =>
        conflict.columns(["form_id", "day"]).doUpdateSet({ received: sql`form_day.received + ${received}` }),
      )
      .execute();
  }
}

function tally(submissions: readonly Submission[], keyOf: (submission: Submission) => string) {
  const counts = new Map<string, { readonly formId: FormId; readonly receivedAt: number; received: number }>();
  for (const submission of submissions) {
    const entry = counts.get(keyOf(submission));
    if (entry === undefined)
      counts.set(keyOf(submission), { formId: submission.formId, receivedAt: submission.receivedAt, received: 1 });
    else entry.received += 1;
  }
  return counts;
}

/** The UTC calendar day, YYYY-MM-DD. */
function toDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function toRow({ formId, id, keyVersion, payload, timestamp, receivedAt }: Submission): Insertable<SubmissionTable> {
  const isSealed = payload.version === sealedVersion;
  return {
    form_id: formId,
    id,
    key_version: keyVersion,
    version: payload.version,
    data: isSealed ? payload.data : null,
    key: isSealed ? payload.key : null,
    iv: isSealed ? payload.iv : null,
    fields: isSealed ? null : JSON.stringify(payload.fields),
    timestamp,
    received_at: receivedAt,
  };
}

function parseSubmission(row: Selectable<SubmissionTable>): Submission {
  return {
    formId: row.form_id as FormId, // written from a FormId
    id: row.id as SubmissionId, // written from a SubmissionId
    keyVersion: row.key_version,
    payload: parsePayload(row),
    timestamp: row.timestamp,
    receivedAt: row.received_at,
  };
}

function parsePayload({ version, data, key, iv, fields }: Selectable<SubmissionTable>): StoredPayload {
  if (version === sealedVersion && data && key && iv) return { version, data, key, iv };
  if (version === plainVersion && fields !== null) return { version, fields: JSON.parse(fields) };
  throw new Error("A stored submission has an unknown format");
}
