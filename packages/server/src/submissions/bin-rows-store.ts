import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { isNotHeld } from "../forms/form-hold-store.ts";
import { nextInOrder } from "./row-order.ts";
import { visibleBinRows } from "./visible-rows-store.ts";

/** `deleted_at` of the tombstone of a submission in the bin: it never grows old, so a retry of the post never brings it back. */
const inBin = Number.MAX_SAFE_INTEGER;

/** The columns of a submission, in `submission` and in `submission_bin`. A test holds the list to the tables. */
const columns = [
  "sequence",
  "form_id",
  "id",
  "key_version",
  "version",
  "data",
  "key",
  "iv",
  "fields",
  "timestamp",
  "received_at",
  "posted_digest",
] as const;

/** Moves rows of `submission` to the bin. The form is held as `mine`, and its counter is the caller's. */
export async function moveToBin(
  transaction: DatabaseTransaction,
  formId: FormId,
  sequences: readonly number[],
  now: number,
): Promise<void> {
  if (sequences.length === 0) return;
  await addToBin(transaction, formId, sequences.length);
  const { visible_from, newest_binned_at } = await transaction
    .selectFrom("form_bin")
    .innerJoin("form_count", "form_count.form_id", "form_bin.form_id")
    .select(["form_bin.visible_from", "form_count.newest_binned_at"])
    .where("form_bin.form_id", "=", formId)
    .executeTakeFirstOrThrow();
  // After what is being emptied, or it would be deleted with it; and after all that a list of the bin may have shown:
  // who empties what they have seen must not delete what came then.
  const binnedAt = Math.max(nextInOrder(now, newest_binned_at), visible_from);
  await transaction
    .updateTable("form_count")
    .set({ newest_binned_at: binnedAt })
    .where("form_id", "=", formId)
    .execute();
  await transaction
    .insertInto("submission_bin")
    .columns([...columns, "binned_at"])
    .expression(({ selectFrom }) =>
      selectFrom("submission")
        .select(columns)
        .select(sql.lit(binnedAt).as("binned_at"))
        .where(isOfForm(transaction, formId))
        .where("sequence", "in", sequences),
    )
    .execute();
  await transaction
    .insertInto("submission_tombstone")
    .columns(["id", "form_id", "received_at", "sequence", "deleted_at"])
    .expression(({ selectFrom }) =>
      selectFrom("submission")
        .select(["id", "form_id", "received_at", "sequence"])
        .select(sql.lit(inBin).as("deleted_at"))
        .where(isOfForm(transaction, formId))
        .where("sequence", "in", sequences),
    )
    .execute();
  await transaction
    .deleteFrom("submission")
    .where(isOfForm(transaction, formId))
    .where("sequence", "in", sequences)
    .where(isNotHeld(formId))
    .execute();
}

/** Moves rows of the bin back to where they were. The form is held as `mine`, and its counter is the caller's. */
export async function moveBack(
  transaction: DatabaseTransaction,
  formId: FormId,
  sequences: readonly number[],
): Promise<void> {
  if (sequences.length === 0) return;
  await transaction
    .insertInto("submission")
    .columns(columns)
    .expression(({ selectFrom }) =>
      selectFrom("submission_bin")
        .select(columns)
        .where(isOfForm(transaction, formId))
        .where("sequence", "in", sequences),
    )
    .execute();
  await transaction
    .deleteFrom("submission_tombstone")
    .where("form_id", "=", formId)
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("submission_bin")
        .select("submission_bin.id")
        .where(isOfForm(transaction, formId, "submission_bin.form_id"))
        .where("sequence", "in", sequences),
    )
    .execute();
  await transaction
    .deleteFrom("submission_bin")
    .where(isOfForm(transaction, formId))
    .where("sequence", "in", sequences)
    .execute();
  await addToBin(transaction, formId, -sequences.length);
}

/** Takes what was moved to the bin before `before` away from readers, and leaves rows and events to the purge. */
export async function hideBinned(transaction: DatabaseTransaction, formId: FormId, before: number): Promise<number> {
  const newest = await visibleBinRows(transaction, formId)
    .select("binned_at")
    .orderBy("binned_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return 0;
  const end = Math.min(before, newest.binned_at + 1);
  // All of them have been counted.
  const hidden =
    end > newest.binned_at ? await findBinned(transaction, formId) : await countBinned(transaction, formId, end);
  if (hidden === 0) return 0;
  await addToBin(transaction, formId, -hidden);
  await transaction
    .updateTable("form_bin")
    .set({ visible_from: end })
    .where("form_id", "=", formId)
    .where(isNotHeld(formId))
    .execute();
  return hidden;
}

async function countBinned(transaction: DatabaseTransaction, formId: FormId, before: number): Promise<number> {
  const { count } = await visibleBinRows(transaction, formId)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("binned_at", "<", before)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many submissions are in the bin. The form is held as `mine`. */
export async function findBinned(transaction: DatabaseTransaction, formId: FormId): Promise<number> {
  const row = await transaction
    .selectFrom("form_bin")
    .select("stored")
    .where("form_id", "=", formId)
    .executeTakeFirst();
  return row?.stored ?? 0;
}

export async function addToBin(transaction: DatabaseTransaction, formId: FormId, difference: number): Promise<void> {
  await transaction
    .insertInto("form_bin")
    .values({ form_id: formId, stored: difference })
    .onConflict((conflict) => conflict.column("form_id").doUpdateSet({ stored: sql`form_bin.stored + ${difference}` }))
    .execute();
}

/** After the purge of what was emptied: nothing is hidden by `visible_from` any more, and an empty bin needs no row. */
export async function endEmptying(transaction: DatabaseTransaction, formId: FormId): Promise<void> {
  await transaction.updateTable("form_bin").set({ visible_from: 0 }).where("form_id", "=", formId).execute();
  await transaction.deleteFrom("form_bin").where("form_id", "=", formId).where("stored", "<=", 0).execute();
}
