import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { selectForUpdateSkipLocked } from "../database/lock.ts";
import { createRound } from "../database/round.ts";

const batch = 200;

/** Webhooks of one step, each with a batch. */
const webhooksMax = 5;

/**
 * Brings deliveries forward that wait for a webhook without an address, so that the worker finds it gone and ends them now instead of at their
 * next attempt: a batch of each such webhook in turn, so that one of which it fails keeps no other one waiting. `false` says that no
 * webhook has any.
 */
export function createBringEndForward(database: Database): (now: number) => Promise<boolean> {
  return createRound({
    max: webhooksMax,
    find: async (after, max) => {
      const rows = await database
        .selectFrom("webhook")
        .select("form_id")
        .where("ends_after", "is not", null)
        .where("form_id", ">", after)
        .orderBy("form_id")
        .limit(max)
        .execute();
      return rows.map(({ form_id }) => form_id);
    },
    work: (formId, now: number) =>
      database.transaction().execute((transaction) => bringEndForward(transaction, formId, now)),
  });
}

/** The walk goes along the form's queue once, and an address that is set again ends it. */
async function bringEndForward(transaction: DatabaseTransaction, formId: string, now: number): Promise<boolean> {
  const marked = transaction
    .selectFrom("webhook")
    .select("ends_after")
    .where("form_id", "=", formId)
    .where("ends_after", "is not", null);
  const webhook = await selectForUpdateSkipLocked(transaction, marked, "webhook").executeTakeFirst();
  if (webhook === undefined) return false;
  const queued = await transaction
    .selectFrom("delivery_queue")
    .select("delivery_id")
    .where("form_id", "=", formId)
    .where("delivery_id", ">", webhook.ends_after ?? "")
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
