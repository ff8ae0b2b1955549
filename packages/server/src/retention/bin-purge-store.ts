import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { repeatAfterDeadlock } from "../database/repeat.ts";
import { createRound } from "../database/round.ts";
import { createRowsApart } from "../database/rows-apart.ts";
import { findHold, isRowNotHeld } from "../forms/form-hold-store.ts";
import { parseTogether } from "../forms/setting-columns.ts";
import { deletionBatch } from "../submissions/batches.ts";
import { endEmptying, hideBinned } from "../submissions/bin-rows-store.ts";
import { limitBytes, removeSubmissions, type SizedPlace } from "../submissions/submission-deletion-store.ts";
import { storedBytes } from "../submissions/submission-store.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** The end of a stay in the bin (`submissions/bin-store.ts`). Each call is a batch of short transactions. */
export interface BinPurgeStore {
  /** Empties the bins of some forms of what was in them for its days, and then those of the next ones. `false` ends a round in which no form had anything that was. */
  expire(now: number): Promise<boolean>;
  /** The same of this form. */
  expireOf(formId: FormId, now: number): Promise<boolean>;
  /** Removes a batch of what was emptied, of each form that has any, with its events; only what came there after `binnedAfter`. `false`: there was none. */
  purge(now: number, binnedAfter?: number): Promise<boolean>;
}

/** Forms of one look: each is a transaction of its own, and a service that stops waits for them. */
const formsAtOnceMax = 20;
/** Forms that one step looks at for what was there for long enough. */
const formsLookedAtMax = 100;

export function createBinPurgeStore(database: Database): BinPurgeStore {
  const purgeInTurn = createRound({
    max: formsAtOnceMax,
    async find(after, max, { binnedAfter }: EmptyingContext) {
      const forms = await findEmptied(database, after, binnedAfter).limit(max).execute();
      return forms.map(({ form_id }) => form_id as FormId); // written from one
    },
    work: createRowsApart({
      work: (formId: FormId, context: EmptyingContext) =>
        inTransaction((transaction) => purgeForm(transaction, formId, context)),
      find: async (formId, { binnedAfter }, after: EmptiedRow | undefined, max) => {
        let rows = selectEmptied(database, formId, binnedAfter).limit(max);
        if (after !== undefined)
          rows = rows.where(sql<boolean>`(binned_at, sequence) > (${after.binned_at}, ${after.sequence})`);
        const found = await rows.execute();
        return found.slice(0, limitBytes(found).length);
      },
      // Another process may have removed some meanwhile.
      remove: (formId, { now }, places) =>
        inTransaction((transaction) =>
          removeEmptied(transaction, formId, now, () =>
            selectEmptied(transaction, formId, 0)
              .where(
                "sequence",
                "in",
                places.map(({ sequence }) => sequence),
              )
              .execute(),
          ),
        ),
      nameOf: ({ id }) => id,
    }),
  });
  const inTransaction = (work: (transaction: DatabaseTransaction) => Promise<boolean>) =>
    repeatAfterDeadlock(() => database.transaction().execute(work));
  return {
    expire: createRound({
      max: formsLookedAtMax,
      find: listForms,
      findBlocked: listKept,
      work: expireForm,
    }),

    expireOf: expireForm,

    purge: (now, binnedAfter = 0) => purgeInTurn({ now, binnedAfter }),
  };

  async function listForms(after: string, max: number): Promise<readonly FormId[]> {
    const rows = await database
      .selectFrom("form_bin")
      .select("form_id")
      .where("form_id", ">", after)
      .orderBy("form_id")
      .limit(max)
      .execute();
    return rows.map(({ form_id }) => form_id as FormId); // written from one
  }

  /** The forms whose oldest in the bin stays for now. One look into an index for each. */
  async function listKept(ids: readonly FormId[], now: number): Promise<ReadonlySet<string>> {
    const forms = await database
      .selectFrom(({ selectFrom }) =>
        selectFrom("form_bin")
          .select("form_bin.form_id")
          .select(({ selectFrom }) =>
            selectFrom("submission_bin")
              .select(({ fn }) => fn.min("submission_bin.binned_at").as("oldest"))
              .whereRef("submission_bin.form_id", "=", "form_bin.form_id")
              .whereRef("submission_bin.binned_at", ">=", "form_bin.visible_from")
              .as("oldest"),
          )
          .where("form_bin.form_id", "in", ids)
          .where(isRowNotHeld("form_bin.form_id"))
          .as("bin"),
      )
      .innerJoin("form", "form.id", "bin.form_id")
      .select(["bin.form_id", "bin.oldest", "form.settings"])
      .execute();
    const due = forms.filter((form) => isOverdue(form, now));
    const dueIds = new Set<string>(due.map(({ form_id }) => form_id));
    return new Set(ids.filter((id) => !dueIds.has(id)));
  }

  /** The form's current settings count, and what another process did meanwhile is not done again. */
  function expireForm(formId: FormId, now: number): Promise<boolean> {
    return database.transaction().execute(async (transaction) => {
      await lockForm(transaction, formId, "change");
      const form = await transaction.selectFrom("form").select("settings").where("id", "=", formId).executeTakeFirst();
      if (form === undefined || (await findHold(transaction, formId)) !== undefined) return false;
      return (await hideBinned(transaction, formId, oldestKept(form.settings, now))) > 0;
    });
  }
}

/**
 * The forms of which something in the bin was emptied; a deleted form has a purge of its own. The counts that say what is held are
 * asked apart from the join with the forms, which a cluster has on one server.
 */
function findEmptied(database: Database, after: string, binnedAfter: number) {
  return database
    .selectFrom(({ selectFrom }) =>
      selectFrom("form_bin")
        .select("form_bin.form_id")
        // As the index says it.
        .where(sql<boolean>`form_bin.visible_from > 0`)
        .where("form_bin.visible_from", ">", binnedAfter)
        .where(isRowNotHeld("form_bin.form_id"))
        .where("form_bin.form_id", ">", after)
        .as("bin"),
    )
    .innerJoin("form", "form.id", "bin.form_id")
    .select("bin.form_id")
    .orderBy("bin.form_id");
}

type EmptiedRow = SizedPlace & { readonly binned_at: number };

interface EmptyingContext {
  readonly now: number;
  readonly binnedAfter: number;
}

/** One batch of what was emptied. After the last one the bin is whole again, unless something that stays for now is still hidden. */
function purgeForm(
  transaction: DatabaseTransaction,
  formId: FormId,
  { now, binnedAfter }: EmptyingContext,
): Promise<boolean> {
  const find = async () =>
    limitBytes(await selectEmptied(transaction, formId, binnedAfter).limit(deletionBatch).execute());
  return removeEmptied(transaction, formId, now, find, async () => {
    if ((await selectEmptied(transaction, formId, 0).limit(1).executeTakeFirst()) !== undefined) return false;
    await endEmptying(transaction, formId);
    return true;
  });
}

const selectEmptied = (target: Database | DatabaseTransaction, formId: FormId, binnedAfter: number) =>
  target
    .selectFrom("submission_bin")
    .select(["id", "sequence", "received_at", "binned_at", storedBytes])
    .where("form_id", "=", formId)
    .where("binned_at", ">", binnedAfter)
    .where("binned_at", "<", ({ selectFrom }) =>
      selectFrom("form_bin").select("form_bin.visible_from").where("form_bin.form_id", "=", formId),
    )
    .orderBy("binned_at")
    .orderBy("sequence");

async function removeEmptied(
  transaction: DatabaseTransaction,
  formId: FormId,
  now: number,
  find: () => Promise<readonly SizedPlace[]>,
  end: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return false;
  const form = await transaction.selectFrom("form").select("name").where("id", "=", formId).executeTakeFirst();
  if (form === undefined) return false;
  const places = await find();
  if (places.length === 0) return end();
  await removeSubmissions(transaction, {
    ...{ formId, formName: form.name, places, deletedAt: now, from: "submission_bin" },
  });
  return true;
}

/** Whether something may have been there for long enough. A form whose settings can't be read fails alone, when it is looked at. */
function isOverdue(form: { readonly oldest: number | null; readonly settings: string }, now: number): boolean {
  try {
    return Number(form.oldest ?? now) < oldestKept(form.settings, now);
  } catch {
    return true;
  }
}

/** Submissions that were moved to the bin before this have been there for the form's days. */
function oldestKept(settings: string, now: number): number {
  return now - parseTogether(settings).binDays * dayMilliseconds;
}
