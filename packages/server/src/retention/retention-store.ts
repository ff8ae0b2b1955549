import { type AccountId, type FormId, isId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { createRound, orderOfRound } from "../database/round.ts";
import { findHold } from "../forms/form-hold-store.ts";
import { hideSubmissions } from "../submissions/submission-deletion-store.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** Writes down that a form's limit was changed; the name is the form's. */
export type RecordChange = (
  transaction: DatabaseTransaction,
  form: { readonly id: FormId; readonly name: string },
  daysBefore: number | null,
) => Promise<void>;

/** How long each form keeps its submissions. */
export interface RetentionStore {
  /** Days, or null for as long as the form is there; `undefined` when the account has no such form. */
  find(accountId: AccountId, formId: string): Promise<{ readonly days: number | null } | undefined>;
  /** False when the account has no such form. `record` is called in the transaction if that changes anything. */
  set(accountId: AccountId, formId: string, days: number | null, record: RecordChange): Promise<boolean>;
  /**
   * Takes what some forms keep no longer away from readers, then the same of the next ones, and leaves rows and events to the purge.
   * `false` ends a round in which no form had anything that was too old.
   */
  expire(now: number): Promise<boolean>;
  /** The same of this form; `false` when it had nothing. */
  expireOf(formId: FormId, now: number): Promise<boolean>;
}

/** Forms that one step looks at: each of which something goes is a transaction of its own, and a service that stops waits for them. */
const formsLookedAtMax = 100;

export function createRetentionStore(database: Database): RetentionStore {
  return {
    find,
    async set(accountId, formId, days, record) {
      if (!isId("form", formId)) return false;
      const known = await find(accountId, formId);
      if (known === undefined || known.days === days) return known !== undefined;
      return database.transaction().execute(async (transaction) => {
        await lockForm(transaction, formId, "change");
        const form = await transaction
          .selectFrom("form")
          .leftJoin("form_retention", "form_retention.form_id", "form.id")
          .select(["form.name", "form_retention.days"])
          .where("form.account_id", "=", accountId)
          .where("form.id", "=", formId)
          .executeTakeFirst();
        if (form === undefined) return false;
        if (form.days === days) return true;
        if (days === null) await transaction.deleteFrom("form_retention").where("form_id", "=", formId).execute();
        else
          await transaction
            .insertInto("form_retention")
            .values({ form_id: formId, days })
            .onConflict((conflict) => conflict.column("form_id").doUpdateSet({ days }))
            .execute();
        await record(transaction, { id: formId, name: form.name }, form.days);
        return true;
      });
    },
    expire: createRound({
      max: formsLookedAtMax,
      find: (after, max) => listLimited(database, after, max),
      async findBlocked(ids, now) {
        const expired = await listExpired(database, ids, now);
        return new Set(ids.filter((id) => !expired.has(id)));
      },
      work: expireOf,
    }),
    expireOf,
  };

  function expireOf(formId: FormId, now: number): Promise<boolean> {
    return database.transaction().execute((transaction) => expireForm(transaction, formId, now));
  }

  async function find(accountId: AccountId, formId: string) {
    if (!isId("form", formId)) return undefined;
    return database
      .selectFrom("form")
      .leftJoin("form_retention", "form_retention.form_id", "form.id")
      .select("form_retention.days")
      .where("form.account_id", "=", accountId)
      .where("form.id", "=", formId)
      .executeTakeFirst();
  }
}

async function listLimited(database: Database, after: string, max: number): Promise<readonly FormId[]> {
  const rows = await database
    .selectFrom("form_retention")
    .select("form_id")
    .where("form_id", ">", after)
    .orderBy("form_id")
    .limit(max)
    .execute();
  return rows.map(({ form_id }) => form_id as FormId); // written from one
}

/** Two looks into indexes for each of these forms, however many submissions it has. */
async function listExpired(database: Database, ids: readonly FormId[], now: number): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom("form_retention as kept")
    // SQLite would begin with the counts of all forms, and those with a limit are few.
    .innerJoin("form_count", (join) => join.on("form_count.form_id", "=", orderOfRound(database, "kept.form_id")))
    .select("kept.form_id")
    .where(({ or, exists, selectFrom, val, ref, eb }) => {
      const oldestKept = eb(val(now), "-", eb(ref("kept.days"), "*", dayMilliseconds));
      return or([
        exists(
          selectFrom("submission")
            .select("submission.id")
            .whereRef("submission.form_id", "=", "form_count.form_id")
            .whereRef("submission.received_at", ">=", "form_count.visible_from")
            .where("submission.received_at", "<", oldestKept),
        ),
        // In the bin nothing grows older than elsewhere.
        exists(
          selectFrom("submission_bin")
            .innerJoin("form_bin", "form_bin.form_id", "submission_bin.form_id")
            .select("submission_bin.id")
            .whereRef("submission_bin.form_id", "=", "form_count.form_id")
            .whereRef("submission_bin.received_at", ">=", "form_count.visible_from")
            .whereRef("submission_bin.binned_at", ">=", "form_bin.visible_from")
            .where("submission_bin.received_at", "<", oldestKept),
        ),
      ]);
    })
    // A held form keeps everything, however old it grows.
    .where("form_count.hold", "is", null)
    .where("kept.form_id", "in", ids)
    // PostgreSQL would read all of few counts.
    .where("form_count.form_id", "in", ids)
    .execute();
  return new Set(rows.map(({ form_id }) => form_id));
}

/** Whatever was found before: what the form says now counts, and what another process did meanwhile is not done again. */
async function expireForm(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<boolean> {
  await lockForm(transaction, formId, "change");
  const row = await transaction
    .selectFrom("form_retention")
    .select("days")
    .where("form_id", "=", formId)
    .executeTakeFirst();
  if (row === undefined || (await findHold(transaction, formId)) !== undefined) return false;
  return (await hideSubmissions(transaction, formId, now - row.days * dayMilliseconds, now)) > 0;
}
