import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { compileOnce, isOneOf } from "../database/insert-rows.ts";
import { kindOf } from "../database/kind.ts";
import { holdEvents } from "../database/lock.ts";
import { findBodies, hasBody } from "./event-body.ts";

/**
 * Wipes the bodies that hold these submissions, or payloads would outlive their deletion by the 30 days of the log
 * (contract, section 9.8). A body that still has a delivery on its way is only marked, and `wipeMarkedBodies` wipes it when
 * that one ends; one that is built from its row is written down for it, so call this before the rows are removed. At most
 * 500 ids: they are parameters of one statement.
 */
export async function wipeSubmissionBodies(
  transaction: DatabaseTransaction,
  formId: FormId,
  submissionIds: readonly string[],
): Promise<void> {
  if (submissionIds.length === 0) return;
  const ids = await findEvents(transaction, formId, submissionIds);
  if (ids.length === 0) return;
  // Nobody queues another delivery of them, and a process that is just ending one has looked for the mark, and did not find it.
  await holdEvents(transaction, ids);
  const due = await holdQueued(transaction, ids);
  for (let start = 0; start < due.length; start += bodiesAtOnce)
    await writeDown(transaction, due.slice(start, start + bodiesAtOnce));
  const isDue = new Set(due);
  const isOver = ids.filter((id) => !isDue.has(id));
  if (isOver.length === 0) return;
  await transaction
    .updateTable("event")
    .set({ body: null, body_layout: null, form_name: null, wipe: 0 })
    .where("id", "in", isOver)
    .execute();
}

/** Bodies of up to 1.4 MB each that are held in memory. */
const bodiesAtOnce = 16;

/** The events that hold these submissions. The event that says that one was deleted holds nothing but its id. */
async function findEvents(
  transaction: DatabaseTransaction,
  formId: FormId,
  submissionIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom("event")
    .select("id")
    .where("form_id", "=", formId)
    .where("submission_id", "in", submissionIds)
    .where("kind", "=", "submission.created")
    .where(hasBody)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those of these events that have a delivery on its way; none of these ends before this transaction. */
async function holdQueued(transaction: DatabaseTransaction, eventIds: readonly string[]): Promise<readonly string[]> {
  const queued = transaction
    .selectFrom("delivery_queue")
    .innerJoin("delivery", "delivery.id", "delivery_queue.delivery_id")
    .select("delivery.event_id")
    .where("delivery.event_id", "in", eventIds)
    .orderBy("delivery_queue.delivery_id");
  const rows = await (kindOf(transaction) === "sqlite" ? queued : queued.forUpdate("delivery_queue")).execute();
  return [...new Set(rows.map(({ event_id }) => event_id))];
}

/** Marks these bodies to be wiped; those that are built from rows that are about to go are in their events from now on. */
async function writeDown(transaction: DatabaseTransaction, eventIds: readonly string[]): Promise<void> {
  const bodies = await findBodies(transaction, eventIds);
  const keeping = keepBodies(
    transaction,
    [...bodies].map(([id, body]) => [body, null, null, 1, id]),
  );
  if (keeping !== undefined) await transaction.executeQuery(keeping);
}

const keepBodies = createRowChange({
  table: "event",
  set: { body: "bytea", body_layout: "bigint", form_name: "text", wipe: "bigint" },
  key: { id: "text" },
});

/** Wipes the bodies that were marked while these deliveries were on their way, unless another delivery still needs them. */
export async function wipeMarkedBodies(
  transaction: DatabaseTransaction,
  endedDeliveryIds: readonly string[],
): Promise<void> {
  if (endedDeliveryIds.length > 0) await transaction.executeQuery(compileWipe(transaction, endedDeliveryIds));
}

/** The statement of `wipeMarkedBodies`. */
export const compileWipe = compileOnce((transaction, endedDeliveryIds) => {
  const wipe = sql`
    update event set body = null, wipe = 0
    where wipe = 1 and id in (select event_id from delivery where ${isOneOf(transaction, "id", endedDeliveryIds)})
      and not exists (select 1 from delivery join delivery_queue on delivery_queue.delivery_id = delivery.id
                      where delivery.event_id = event.id)`;
  return { compile: () => wipe.compile(transaction) };
});
