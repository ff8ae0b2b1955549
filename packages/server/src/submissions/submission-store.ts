import { type FormId, isId } from "@sealpost/wire";
import { type Selectable, sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { SubmissionTable } from "../database/submission-tables.ts";
import { countReceived } from "./count-received-store.ts";
import { insertSubmissions } from "./insert-submissions-store.ts";
import type { Submission } from "./submission.ts";
import { parseSubmission } from "./submission-rows.ts";
import { visibleRows } from "./visible-rows-store.ts";

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
  /** A page ends at so many rows, or at so many bytes of what they hold, but has at least one row. */
  readonly limit: number;
  readonly bytesMax: number;
  readonly after?: SubmissionCursor | undefined;
  /** Bounds of `receivedAt` in milliseconds, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface SubmissionStore {
  /** Writes those whose id their form does not have yet. Gives the ones written, and the statements that count them. */
  readonly insertNew: typeof insertSubmissions;
  find(formId: FormId, id: string): Promise<Submission | undefined>;
  /** One that was moved to the bin and can still be restored. */
  findInBin(formId: FormId, id: string): Promise<Submission | undefined>;
  list(formId: FormId, query: SubmissionQuery): Promise<SubmissionPage>;
  /** How many of the form's submissions are stored between the bounds; in a turn of `createCountQueue` where there is one. */
  count(formId: FormId, bounds: Pick<SubmissionQuery, "from" | "to">): Promise<number>;
  /** Where this submission lies, also when it was deleted not long ago. */
  findPosition(formId: FormId, id: string): Promise<SubmissionCursor | undefined>;
  /** The newest that readers see, after `after` and received until `to`. */
  findNewest(formId: FormId, bounds?: NewestBounds): Promise<(SubmissionCursor & { readonly id: string }) | undefined>;
  /** The next ones after `after`, `until` included, oldest first: as many as fit into `bytesMax`, but at least one. */
  listOldest(formId: FormId, query: OldestQuery): Promise<ListedSubmission[]>;
}

export interface SubmissionPage {
  readonly items: readonly ListedSubmission[];
  /** Whether others follow the last of them. */
  readonly hasMore: boolean;
}

export interface NewestBounds {
  readonly after?: SubmissionCursor;
  readonly to?: number;
}

export interface OldestQuery {
  readonly after: SubmissionCursor;
  readonly until: SubmissionCursor;
  readonly bytesMax: number;
}

const rowsAtOnceMax = 256;

export function createSubmissionStore(database: Database): SubmissionStore {
  return {
    insertNew: insertSubmissions,
    async find(formId, id) {
      if (!isId("submission", id)) return undefined;
      const row = await visibleRows(database, formId, "submission").selectAll().where("id", "=", id).executeTakeFirst();
      return row && parseSubmission(row);
    },
    async findInBin(formId, id) {
      if (!isId("submission", id)) return undefined;
      const row = await visibleRows(database, formId, "submission_bin")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row && parseSubmission(row);
    },
    async list(formId, { limit, bytesMax, after, from, to }) {
      // One lower and one upper bound, worked out here: of two, the index would start at either, and walk past the rest.
      const lowest = Math.max(from ?? 0, await findVisibleFrom(formId));
      const end = before(after, to);
      const upTo = (operator: "<" | "<=", place: SubmissionCursor | undefined) => {
        const rows = database.selectFrom("submission").where("form_id", "=", formId).where("received_at", ">=", lowest);
        const bounded =
          place === undefined
            ? rows
            : rows.where(({ eb, refTuple, tuple }) =>
                eb(refTuple("received_at", "sequence"), operator, tuple(place.receivedAt, place.sequence)),
              );
        return bounded.orderBy("received_at", "desc").orderBy("sequence", "desc");
      };
      const sizes = await upTo("<", end)
        .select(["received_at", "sequence"])
        .select(storedBytes)
        .limit(limit + 1)
        .execute();
      const [first] = sizes;
      if (first === undefined) return { items: [], hasMore: false };
      const fitting = Math.min(limit, countFitting(sizes, bytesMax));
      // From the same first row, whatever came meanwhile.
      const listed = await upTo("<=", { receivedAt: first.received_at, sequence: first.sequence })
        .selectAll()
        .limit(fitting)
        .execute();
      return { items: listed.map(parseListed), hasMore: sizes.length > fitting };
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
      const lowest = Math.max(from ?? 0, await findVisibleFrom(formId));
      return countReceived(database, "submission", formId, { from: lowest, to });
    },
    async findPosition(formId, id) {
      if (!isId("submission", id)) return undefined;
      const stored = await database
        .selectFrom("submission")
        .select(["received_at", "sequence"])
        .where("form_id", "=", formId)
        .where("id", "=", id)
        .executeTakeFirst();
      const row = stored ?? (await findTombstone(formId, id));
      return row && { receivedAt: row.received_at, sequence: row.sequence };
    },
    async findNewest(formId, { after = { receivedAt: 0, sequence: 0 }, to = Number.MAX_SAFE_INTEGER } = {}) {
      const lowest = Math.max(after.receivedAt, await findVisibleFrom(formId));
      const row = await database
        .selectFrom("submission")
        .select(["id", "received_at", "sequence"])
        .where("form_id", "=", formId)
        .where("received_at", ">=", lowest)
        .where("received_at", "<=", to)
        .orderBy("received_at", "desc")
        .orderBy("sequence", "desc")
        .limit(1)
        .executeTakeFirst();
      const newest = row && { id: row.id, receivedAt: row.received_at, sequence: row.sequence };
      return newest !== undefined && compare(newest, after) > 0 ? newest : undefined;
    },
    async listOldest(formId, { after, until, bytesMax }) {
      const visible = { receivedAt: await findVisibleFrom(formId), sequence: 0 };
      const start = compare(after, visible) < 0 ? visible : after;
      const rows = database
        .selectFrom("submission")
        .where("form_id", "=", formId)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple("received_at", "sequence"), ">", tuple(start.receivedAt, start.sequence)),
        )
        .orderBy("received_at")
        .orderBy("sequence");
      const sizes = await rows
        .select(["received_at", "sequence"])
        .select(storedBytes)
        .where("received_at", "<=", until.receivedAt)
        .limit(rowsAtOnceMax)
        .execute();
      const before = sizes.filter(
        (row) => compare({ receivedAt: row.received_at, sequence: row.sequence }, until) <= 0,
      );
      const fitting = countFitting(before, bytesMax);
      if (fitting === 0) return [];
      // The same rows from the same start: only what was deleted meanwhile makes it end a little further.
      const listed = await rows.selectAll().limit(fitting).execute();
      return listed.map(parseListed).filter(({ cursor }) => compare(cursor, until) <= 0);
    },
  };

  async function findTombstone(formId: FormId, id: string) {
    const row = await database
      .selectFrom("submission_tombstone")
      .select(["received_at", "sequence"])
      .where("form_id", "=", formId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row;
  }

  async function findVisibleFrom(formId: FormId): Promise<number> {
    const row = await database
      .selectFrom("form_count")
      .select("visible_from")
      .where("form_id", "=", formId)
      .executeTakeFirst();
    return row?.visible_from ?? 0;
  }
}

/** The bytes of a row, from the lengths alone: neither database reads the contents. */
export const storedBytes = sql<number>`coalesce(octet_length(data), 0) + coalesce(octet_length(fields), 0)`.as("bytes");

/** How many of these rows, from the first on, fit into so many bytes; at least one of them, however long. */
export function countFitting(sizes: readonly { readonly bytes: number }[], bytesMax: number): number {
  let bytes = 0;
  const end = sizes.findIndex((row, index) => {
    bytes += Number(row.bytes);
    return index > 0 && bytes > bytesMax;
  });
  return end === -1 ? sizes.length : end;
}

/** Which of two places comes first in the order of receipt: negative, zero or positive. */
function compare(left: SubmissionCursor, right: SubmissionCursor): number {
  return left.receivedAt - right.receivedAt || left.sequence - right.sequence;
}

/** The place before which both lie: what follows a page, and what was received at `to` at the latest. */
function before(after: SubmissionCursor | undefined, to: number | undefined): SubmissionCursor | undefined {
  const end = to === undefined ? undefined : { receivedAt: to + 1, sequence: 0 };
  if (after === undefined || end === undefined) return after ?? end;
  return compare(after, end) < 0 ? after : end;
}

function parseListed(row: Selectable<SubmissionTable>): ListedSubmission {
  return { submission: parseSubmission(row), cursor: { receivedAt: row.received_at, sequence: row.sequence } };
}
