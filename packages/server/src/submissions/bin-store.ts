import { type AccountId, type FormId, isId } from "@sealpost/wire";
import { type ExpressionBuilder, sql } from "kysely";
import type { Database } from "../database/database.ts";
import { rowsLookedAtMax } from "../database/looked-rows.ts";
import type { Tables } from "../database/schema.ts";
import { parseTogether } from "../forms/setting-columns.ts";
import { Problem } from "../problems/problem.ts";
import type { RunPage } from "../time/page-turns.ts";
import { inBatches, type Moved, type Selection } from "./batches.ts";
import { hideBinned, moveBack, moveToBin } from "./bin-rows-store.ts";
import { countReceived } from "./count-received-store.ts";
import type { Submission } from "./submission.ts";
import {
  addToStored,
  findDeletableForm,
  findForm,
  findPlaces,
  limitBytes,
  type RecordDeletion,
  removeSubmissions,
} from "./submission-deletion-store.ts";
import { parseSubmission } from "./submission-rows.ts";
import { countFitting, storedBytes } from "./submission-store.ts";
import { visibleBinRows, visibleNamedRows } from "./visible-rows-store.ts";

/** Where a page of the bin ended: the latest first, then arrival. */
export interface BinCursor {
  readonly binnedAt: number;
  readonly sequence: number;
}

export interface BinnedSubmission {
  readonly submission: Submission;
  readonly cursor: BinCursor;
}

export interface BinQuery {
  /** A page ends at so many rows, or at so many bytes of what they hold, but has at least one row. */
  readonly limit: number;
  readonly bytesMax: number;
  readonly after: BinCursor | undefined;
  readonly received?: ReceivedBounds | undefined;
}

/** Bounds of `receivedAt` in milliseconds, both inclusive. */
export interface ReceivedBounds {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface BinPage {
  readonly items: readonly BinnedSubmission[];
  /** Where the next page begins; `undefined` on the last. Between bounds, a page may have none, and others follow. */
  readonly next: BinCursor | undefined;
}

/** Each is `undefined` when the account has no such form. */
export interface BinStore {
  /** Moves submissions to the bin; where the form keeps nothing there, deletes them, unless they have to be restorable. `isDeleted` says which it was. */
  move(
    runPage: RunPage,
    accountId: AccountId,
    formId: string,
    selection: Selection,
    now: number,
    record: (isDeleted: boolean) => RecordDeletion,
    isRestorable?: boolean,
  ): Promise<(Moved & { readonly isDeleted: boolean }) | undefined>;
  /** Moves submissions of these ids, or of any, from the bin to where they were. */
  restore(
    runPage: RunPage,
    accountId: AccountId,
    formId: string,
    ids: readonly string[] | undefined,
    record: RecordDeletion,
  ): Promise<Moved | undefined>;
  /**
   * Takes what was moved to the bin before `before` (all when omitted) away from readers, and leaves rows and events to the purge.
   * Returns how many it was.
   */
  empty(
    accountId: AccountId,
    formId: string,
    before: number | undefined,
    record: RecordDeletion,
  ): Promise<number | undefined>;
  list(formId: FormId, query: BinQuery): Promise<BinPage>;
  /** How many there are between the bounds (in a turn of `createCountQueue`), and for how many days from receipt the form keeps any submission (infinitely many if nothing limits it). */
  look(formId: FormId, received?: ReceivedBounds): Promise<{ readonly total: number; readonly daysKept: number }>;
}

/**
 * A submission in the bin is a row of another table, moved there and back: everything that reads or counts submissions works
 * as if it were deleted, at the cost it had (docs/decisions/0015-bin.md).
 */
const binOff = "This form keeps nothing in its bin: nothing was deleted. To delete for good, say so";

export function createBinStore(database: Database): BinStore {
  return {
    async move(runPage, accountId, formId, selection, now, record, isRestorable = false) {
      if (!isId("form", formId)) return undefined;
      let isDeleted = false;
      const moved = await inBatches(runPage, selection, (wanted) =>
        database.transaction().execute(async (transaction) => {
          const form = await findDeletableForm(transaction, accountId, formId);
          if (form === undefined) return undefined;
          isDeleted = parseTogether(form.settings).binDays === 0;
          if (isDeleted && isRestorable) throw new Problem("conflict", binOff);
          const before = "before" in selection ? selection.before : undefined;
          const found = await findPlaces(transaction, formId, "submission", wanted, before);
          const places = limitBytes(found);
          if (places.length === 0) return { moved: [], found };
          if (isDeleted) await removeSubmissions(transaction, { formId, formName: form.name, places, deletedAt: now });
          else await moveToBin(transaction, formId, sequencesOf(places), now);
          await addToStored(transaction, formId, -places.length);
          await record(isDeleted)(transaction, form.name, places.length);
          return { moved: places, found };
        }),
      );
      return moved && { ...moved, isDeleted };
    },

    async restore(runPage, accountId, formId, ids, record) {
      if (!isId("form", formId)) return undefined;
      return inBatches(runPage, ids === undefined ? undefined : { ids }, (wanted) =>
        database.transaction().execute(async (transaction) => {
          const form = await findForm(transaction, accountId, formId);
          if (form === undefined) return undefined;
          const found = await findPlaces(transaction, formId, "submission_bin", wanted);
          const places = limitBytes(found);
          if (places.length === 0) return { moved: [], found };
          await moveBack(transaction, formId, sequencesOf(places));
          await addToStored(transaction, formId, places.length);
          await record(transaction, form.name, places.length);
          return { moved: places, found };
        }),
      );
    },

    async empty(accountId, formId, before, record) {
      if (!isId("form", formId)) return undefined;
      return database.transaction().execute(async (transaction) => {
        const form = await findDeletableForm(transaction, accountId, formId);
        if (form === undefined) return undefined;
        const count = await hideBinned(transaction, formId, before ?? Number.POSITIVE_INFINITY);
        if (count > 0) await record(transaction, form.name, count);
        return count;
      });
    },

    async list(formId, { limit, bytesMax, after, received }) {
      const upTo = (operator: "<" | "<=", place: BinCursor | undefined, rows: BinRows) => {
        const bounded = place === undefined ? rows : rows.where(isPlace(operator, place));
        return bounded.orderBy("binned_at", "desc").orderBy("sequence", "desc");
      };
      const visible = visibleBinRows(database, formId);
      // In the order of another time than that which bounds it: as far back as one page looks.
      const row = isBounded(received)
        ? await upTo("<", after, visible)
            .select(["binned_at", "sequence"])
            .offset(rowsLookedAtMax - 1)
            .limit(1)
            .executeTakeFirst()
        : undefined;
      const end = row && { binnedAt: row.binned_at, sequence: row.sequence };
      const listed = (operator: "<" | "<=", place: BinCursor | undefined) => {
        // One lower bound: of two, the index would end at either, and walk past the rest.
        const rows =
          end === undefined ? visible : visibleNamedRows(database, formId, "submission_bin").where(isPlace(">=", end));
        return selectReceived(upTo(operator, place, rows), received);
      };
      const sizes = await listed("<", after)
        .select(["binned_at", "sequence", storedBytes])
        .limit(limit + 1)
        .execute();
      const [first] = sizes;
      if (first === undefined) return { items: [], next: end };
      const fitting = Math.min(limit, countFitting(sizes, bytesMax));
      // From the same first row, whatever was moved there meanwhile.
      const rows = await listed("<=", { binnedAt: first.binned_at, sequence: first.sequence })
        .selectAll()
        .limit(fitting)
        .execute();
      const items = rows.map((row) => ({
        submission: parseSubmission(row),
        cursor: { binnedAt: row.binned_at, sequence: row.sequence },
      }));
      return { items, next: sizes.length > fitting ? items.at(-1)?.cursor : end };
    },

    async look(formId, received) {
      const row = await database
        .selectFrom("form_bin")
        .innerJoin("form_count", "form_count.form_id", "form_bin.form_id")
        .leftJoin("form_retention", "form_retention.form_id", "form_bin.form_id")
        .select(["form_bin.stored", "form_retention.days", "form_bin.visible_from as binnedFrom"])
        .select("form_count.visible_from as receivedFrom")
        .where("form_bin.form_id", "=", formId)
        .executeTakeFirst();
      if (row === undefined) return { total: 0, daysKept: Number.POSITIVE_INFINITY };
      const { stored, days, binnedFrom, receivedFrom } = row;
      const from = Math.max(received?.from ?? 0, receivedFrom);
      return {
        total: isBounded(received)
          ? await countReceived(database, "submission_bin", formId, { from, to: received?.to, binnedFrom })
          : stored,
        daysKept: days ?? Number.POSITIVE_INFINITY,
      };
    },
  };
}

/** A plus, as in `visibleNamedRows`: no index is to serve the times of receipt, or it would give up the order. */
function selectReceived(rows: BinRows, { from, to }: ReceivedBounds = {}): BinRows {
  const later = from === undefined ? rows : rows.where(sql`+received_at`, ">=", from);
  return to === undefined ? later : later.where(sql`+received_at`, "<=", to);
}

function isPlace(operator: "<" | "<=" | ">=", { binnedAt, sequence }: BinCursor) {
  return ({ eb, refTuple, tuple }: ExpressionBuilder<Pick<Tables, "submission_bin">, "submission_bin">) =>
    eb(refTuple("binned_at", "sequence"), operator, tuple(binnedAt, sequence));
}

type BinRows = ReturnType<typeof visibleBinRows>;

function isBounded({ from, to }: ReceivedBounds = {}): boolean {
  return from !== undefined || to !== undefined;
}

function sequencesOf(places: readonly { readonly sequence: number }[]): readonly number[] {
  return places.map(({ sequence }) => sequence);
}
