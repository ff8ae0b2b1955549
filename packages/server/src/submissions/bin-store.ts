import { type AccountId, type FormId, isId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForms } from "../database/lock.ts";
import { parseTogether } from "../forms/setting-columns.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { hideBinned, moveBack, moveToBin, recountBin } from "./bin-rows-store.ts";
import type { Submission } from "./submission.ts";
import {
  addToStored,
  deletionBatch,
  findForm,
  findPlaces,
  limitBytes,
  type RecordDeletion,
  removeSubmissions,
} from "./submission-deletion-store.ts";
import { parseSubmission } from "./submission-rows.ts";
import { countFitting, storedBytes } from "./submission-store.ts";
import { visibleRows } from "./visible-rows-store.ts";

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
}

export interface BinPage {
  readonly items: readonly BinnedSubmission[];
  /** Whether others follow the last of them. */
  readonly hasMore: boolean;
}

/** The submissions of these ids, at most 1,000, or all that were received before a time. */
export type Selection = { readonly ids: readonly string[] } | { readonly before: number };

export interface Moved {
  readonly count: number;
  /** Whether there are more: a call that names no ids ends after so many that nobody waits long for it. */
  readonly hasMore: boolean;
}

/** Each is `undefined` when the account has no such form. */
export interface BinStore {
  /** Moves submissions to the bin; where the form keeps nothing there, deletes them. `isDeleted` says which it was. */
  move(
    accountId: AccountId,
    formId: string,
    selection: Selection,
    now: number,
    record: (isDeleted: boolean) => RecordDeletion,
  ): Promise<(Moved & { readonly isDeleted: boolean }) | undefined>;
  /** Moves submissions of these ids, or of any, from the bin to where they were. */
  restore(
    accountId: AccountId,
    formId: string,
    ids: readonly string[] | undefined,
    record: RecordDeletion,
  ): Promise<Moved | undefined>;
  /** Takes all that is in the bin away from readers, and leaves rows and events to the purge. Returns how many it was. */
  empty(accountId: AccountId, formId: string, record: RecordDeletion): Promise<number | undefined>;
  list(formId: FormId, query: BinQuery): Promise<BinPage>;
  /** How many there are, and for how many days from receipt the form keeps any submission (infinitely many if nothing limits it). */
  look(formId: FormId): Promise<{ readonly total: number; readonly daysKept: number }>;
  /** Empties one form's bin of what was in it for its days. `false` says that no form has anything that was. */
  expire(now: number): Promise<boolean>;
  /** Removes a batch of what was emptied, of each form that has any, with its events. `false`: there was none. */
  purge(now: number): Promise<boolean>;
}

/** A call that names no ids moves this many batches. */
const batchesMax = 10;
/** Forms of one look: each is a transaction of its own, and a service that stops waits for them. */
const formsAtOnceMax = 20;

/**
 * A submission in the bin is a row of another table, moved there and back: everything that reads or counts submissions works
 * as if it were deleted, at the cost it had (docs/decisions/0015-bin.md).
 */
export function createBinStore(database: Database): BinStore {
  return {
    async move(accountId, formId, selection, now, record) {
      if (!isId("form", formId)) return undefined;
      let isDeleted = false;
      const moved = await inBatches(selection, (wanted) =>
        database.transaction().execute(async (transaction) => {
          const form = await findForm(transaction, accountId, formId);
          if (form === undefined) return undefined;
          isDeleted = binDaysOf(form) === 0;
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

    async restore(accountId, formId, ids, record) {
      if (!isId("form", formId)) return undefined;
      return inBatches(ids === undefined ? undefined : { ids }, (wanted) =>
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

    async empty(accountId, formId, record) {
      if (!isId("form", formId)) return undefined;
      return database.transaction().execute(async (transaction) => {
        const form = await findForm(transaction, accountId, formId);
        if (form === undefined) return undefined;
        const count = await hideBinned(transaction, formId, Number.POSITIVE_INFINITY);
        if (count > 0) await record(transaction, form.name, count);
        return count;
      });
    },

    async list(formId, { limit, bytesMax, after }) {
      const upTo = (operator: "<" | "<=", place: BinCursor | undefined) => {
        const rows = visibleRows(database, formId, "submission_bin");
        const bounded =
          place === undefined
            ? rows
            : rows.where(({ eb, refTuple, tuple }) =>
                eb(refTuple("binned_at", "sequence"), operator, tuple(place.binnedAt, place.sequence)),
              );
        return bounded.orderBy("binned_at", "desc").orderBy("sequence", "desc");
      };
      const sizes = await upTo("<", after)
        .select(["binned_at", "sequence", storedBytes])
        .limit(limit + 1)
        .execute();
      const [first] = sizes;
      if (first === undefined) return { items: [], hasMore: false };
      const fitting = Math.min(limit, countFitting(sizes, bytesMax));
      // From the same first row, whatever was moved there meanwhile.
      const rows = await upTo("<=", { binnedAt: first.binned_at, sequence: first.sequence })
        .selectAll()
        .limit(fitting)
        .execute();
      const items = rows.map((row) => ({
        submission: parseSubmission(row),
        cursor: { binnedAt: row.binned_at, sequence: row.sequence },
      }));
      return { items, hasMore: sizes.length > fitting };
    },

    async look(formId) {
      const row = await database
        .selectFrom("form_bin")
        .leftJoin("form_retention", "form_retention.form_id", "form_bin.form_id")
        .select(["form_bin.stored", "form_retention.days"])
        .where("form_bin.form_id", "=", formId)
        .executeTakeFirst();
      return { total: row?.stored ?? 0, daysKept: row?.days ?? Number.POSITIVE_INFINITY };
    },

    async expire(now) {
      const forms = await findOldest(database);
      const due = forms.filter((form) => Number(form.oldest ?? now) < oldestKept(form, now)).slice(0, formsAtOnceMax);
      let expired = 0;
      for (const { form_id } of due) {
        const formId = form_id as FormId; // written from one
        expired += await database.transaction().execute((transaction) => expireForm(transaction, formId, now));
      }
      return expired > 0;
    },

    async purge(now) {
      const forms = await database
        .selectFrom("form_bin")
        .leftJoin("form", "form.id", "form_bin.form_id")
        .select("form_bin.form_id")
        .where(({ or, eb }) => or([eb("form_bin.visible_from", ">", 0), eb("form.id", "is", null)]))
        .limit(formsAtOnceMax)
        .execute();
      for (const { form_id } of forms) {
        const formId = form_id as FormId; // written from one
        await database.transaction().execute((transaction) => purgeForm(transaction, formId, now));
      }
      return forms.length > 0;
    },
  };
}

interface FormSettings {
  readonly settings: string;
}

/** For how many days a form keeps what is in its bin; 0 says that it has none. */
function binDaysOf({ settings }: FormSettings): number {
  return parseTogether(settings).binDays;
}

function oldestKept(form: FormSettings, now: number): number {
  return now - binDaysOf(form) * dayMilliseconds;
}

function sequencesOf(places: readonly { readonly sequence: number }[]): readonly number[] {
  return places.map(({ sequence }) => sequence);
}

interface Batch {
  readonly moved: readonly { readonly id: string }[];
  /** Those that were there, also those that were too large for this batch. */
  readonly found: readonly { readonly id: string }[];
}

/** Batches of a selection, each in a transaction of its own: all of one that names ids, else at most `batchesMax`. */
async function inBatches(
  selection: Selection | undefined,
  run: (wanted: readonly string[] | undefined) => Promise<Batch | undefined>,
): Promise<Moved | undefined> {
  let count = 0;
  if (selection !== undefined && "ids" in selection) {
    let waiting: readonly string[] = [...new Set(selection.ids)].filter((id) => isId("submission", id));
    do {
      const batch = await run(waiting.slice(0, deletionBatch));
      if (batch === undefined) return undefined;
      count += batch.moved.length;
      const moved = new Set(batch.moved.map(({ id }) => id));
      const left = batch.found.filter(({ id }) => !moved.has(id)).map(({ id }) => id);
      waiting = [...left, ...waiting.slice(deletionBatch)];
    } while (waiting.length > 0);
    return { count, hasMore: false };
  }
  for (let batches = 0; batches < batchesMax; batches++) {
    const batch = await run(undefined);
    if (batch === undefined) return undefined;
    count += batch.moved.length;
    if (batch.moved.length === batch.found.length && batch.found.length < deletionBatch)
      return { count, hasMore: false };
  }
  return { count, hasMore: true };
}

/** When the oldest in each form's bin was moved there: one look into an index for each form that has a bin. */
function findOldest(database: Database) {
  return database
    .selectFrom("form_bin")
    .innerJoin("form", "form.id", "form_bin.form_id")
    .select(["form_bin.form_id", "form.settings"])
    .select(({ selectFrom }) =>
      selectFrom("submission_bin")
        .select(({ fn }) => fn.min("submission_bin.binned_at").as("oldest"))
        .whereRef("submission_bin.form_id", "=", "form_bin.form_id")
        .whereRef("submission_bin.binned_at", ">=", "form_bin.visible_from")
        .as("oldest"),
    )
    .execute();
}

/** The form's current settings count, and what another process did meanwhile is not done again. */
async function expireForm(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<number> {
  await lockForms(transaction, [formId], "for no key update");
  const form = await transaction.selectFrom("form").select("settings").where("id", "=", formId).executeTakeFirst();
  return form === undefined ? 0 : hideBinned(transaction, formId, oldestKept(form, now));
}

/** One batch of what was emptied; of a deleted form, which emits nothing, of all. After the last one the bin is whole again. */
async function purgeForm(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<void> {
  await lockForms(transaction, [formId], "for no key update");
  const form = await transaction.selectFrom("form").select("name").where("id", "=", formId).executeTakeFirst();
  let query = transaction
    .selectFrom("submission_bin")
    .select(["id", "sequence", "received_at", storedBytes])
    .where("form_id", "=", formId);
  if (form !== undefined)
    query = query.where("binned_at", "<", ({ selectFrom }) =>
      selectFrom("form_bin").select("form_bin.visible_from").where("form_bin.form_id", "=", formId),
    );
  const places = limitBytes(await query.orderBy("binned_at").orderBy("sequence").limit(deletionBatch).execute());
  if (places.length === 0) return recountBin(transaction, formId);
  if (form === undefined)
    await transaction.deleteFrom("submission_bin").where("sequence", "in", sequencesOf(places)).execute();
  else
    await removeSubmissions(transaction, {
      formId,
      formName: form.name,
      places,
      deletedAt: now,
      from: "submission_bin",
    });
}
