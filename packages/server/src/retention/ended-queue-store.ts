import type { DatabaseTransaction } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { selectForUpdateSkipLocked } from "../database/lock.ts";

const batch = 200;

/**
 * Brings a batch of the deliveries forward that wait for a webhook without an address, so that the worker finds it gone and ends them
 * now instead of at their next attempt. The walk goes along the form's queue once, and an address that is set again ends it.
 * `false` says that no webhook has any.
 */
export async function bringEndForward(transaction: DatabaseTransaction, now: number): Promise<boolean> {
  const marked = transaction
    .selectFrom("webhook")
    .select(["form_id", "ends_after"])
    .where("ends_after", "is not", null)
    .limit(1);
  const webhook = await selectForUpdateSkipLocked(transaction, marked, "webhook").executeTakeFirst();
  if (webhook === undefined) return false;
  const { form_id: formId, ends_after: after } = webhook;
  const queued = await transaction
    .selectFrom("delivery_queue")
    .select("delivery_id")
    .where("form_id", "=", formId)
    .where("delivery_id", ">", after ?? "")
    .orderBy("delivery_id")
    .limit(batch)
    .execute();
  const ids = queued.map(({ delivery_id }) => delivery_id);
  const waiting = await selectWaiting(transaction, formId, ids, now);
  if (waiting.length > 0)
    await transaction
      .updateTable("delivery_queue")
      .set({ due_at: now })
      .where(isOfForm(transaction, formId))
      .where("delivery_id", "in", waiting)
      .execute();
  await transaction
    .updateTable("webhook")
    .set({ ends_after: (queued.length < batch ? undefined : ids.at(-1)) ?? null })
    .where("form_id", "=", formId)
    .execute();
  return true;
}

/** Deliveries that are neither due nor being sent. A delivery that ends meanwhile is passed over: its end waits for the webhook. */
async function selectWaiting(
  transaction: DatabaseTransaction,
  formId: string,
  ids: readonly string[],
  now: number,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const waiting = transaction
    .selectFrom("delivery_queue")
    .select("delivery_id")
    .where(isOfForm(transaction, formId))
    .where("delivery_id", "in", ids)
    .where("due_at", ">", now)
    .where("claim_token", "is", null);
  const rows = await selectForUpdateSkipLocked(transaction, waiting, "delivery_queue").execute();
  return rows.map(({ delivery_id }) => delivery_id);
}
