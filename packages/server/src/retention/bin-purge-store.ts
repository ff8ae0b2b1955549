import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { repeatAfterDeadlock } from "../database/repeat.ts";
import { createRound } from "../database/round.ts";
import { findHold, isRowNotHeld } from "../forms/form-hold-store.ts";
import { parseTogether } from "../forms/setting-columns.ts";
import { deletionBatch } from "../submissions/batches.ts";
import { endEmptying, hideBinned } from "../submissions/bin-rows-store.ts";
import { limitBytes, removeSubmissions } from "../submissions/submission-deletion-store.ts";
import { storedBytes } from "../submissions/submission-store.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** The end of a stay in the bin (`submissions/bin-store.ts`). Each call is a batch of short transactions. */
export interface BinPurgeStore {
  /** Empties the bins of some forms of what was in them for its days, and then those of the next ones. `false` ends a round in which no form had anything that was. */
  expire(now: number): Promise<boolean>;
  /** The same of this form. */
  expireOf(formId: FormId, now: number): Promise<boolean>;
  /** Removes a batch of what was emptied, of each form that has any, with its events. `false`: there was none. */
  purge(now: number): Promise<boolean>;
}

/** Forms of one look: each is a transaction of its own, and a service that stops waits for them. */
const formsAtOnceMax = 20;
/** Forms that one step looks at for what was there for long enough. */
const formsLookedAtMax = 100;

export function createBinPurgeStore(database: Database): BinPurgeStore {
  return {
    expire: createRound({
      max: formsLookedAtMax,
      find: listForms,
      findBlocked: listKept,
      work: expireForm,
    }),

    expireOf: expireForm,

    async purge(now) {
      const forms = await findEmptied(database).limit(formsAtOnceMax).execute();
      for (const { form_id } of forms) {
        const formId = form_id as FormId; // written from one
        await repeatAfterDeadlock(() =>
          database.transaction().execute((transaction) => purgeForm(transaction, formId, now)),
        );
      }
      return forms.length > 0;
    },
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
    const due = forms.filter((form) => Number(form.oldest ?? now) < oldestKept(form.settings, now));
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
function findEmptied(database: Database) {
  return database
    .selectFrom(({ selectFrom }) =>
      selectFrom("form_bin")
        .select("form_bin.form_id")
        // As the index says it.
        .where(sql<boolean>`form_bin.visible_from > 0`)
        .where(isRowNotHeld("form_bin.form_id"))
        .as("bin"),
    )
    .innerJoin("form", "form.id", "bin.form_id")
    .select("bin.form_id");
}

/** One batch of what was emptied. After the last one the bin is whole again. */
async function purgeForm(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<void> {
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return;
  const form = await transaction.selectFrom("form").select("name").where("id", "=", formId).executeTakeFirst();
  if (form === undefined) return;
  const rows = await transaction
    .selectFrom("submission_bin")
    .select(["id", "sequence", "received_at", storedBytes])
    .where("form_id", "=", formId)
    .where("binned_at", "<", ({ selectFrom }) =>
      selectFrom("form_bin").select("form_bin.visible_from").where("form_bin.form_id", "=", formId),
    )
    .orderBy("binned_at")
    .orderBy("sequence")
    .limit(deletionBatch)
    .execute();
  const places = limitBytes(rows);
  if (places.length === 0) return endEmptying(transaction, formId);
  const removal = { formId, formName: form.name, places, deletedAt: now, from: "submission_bin" } as const;
  await removeSubmissions(transaction, removal);
}

/** Submissions that were moved to the bin before this have been there for the form's days. */
function oldestKept(settings: string, now: number): number {
  return now - parseTogether(settings).binDays * dayMilliseconds;
}
