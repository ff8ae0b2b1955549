import type { FormId } from "@sealpost/wire";
import { CompiledQuery } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import { encodeColumns, printColumns } from "../database/column-array.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { encodeForms, isDistributed } from "../database/distribution.ts";
import { isOfForm } from "../database/form-scope.ts";
import { kindOf } from "../database/kind.ts";
import { lockEvents } from "../database/lock.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
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
  await lockEvents(
    transaction,
    ids.map((id) => [formId, id]),
  );
  const due = await holdQueued(transaction, formId, ids);
  for (let start = 0; start < due.length; start += bodiesAtOnce)
    await writeDown(transaction, formId, due.slice(start, start + bodiesAtOnce));
  const isDue = new Set(due);
  const isOver = ids.filter((id) => !isDue.has(id));
  if (isOver.length === 0) return;
  await transaction
    .updateTable("event")
    .set({ body: null, body_layout: null, form_name: null, wipe: 0 })
    .where(isOfForm(transaction, formId))
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

/** Locks and gives the events that have a delivery on its way; no such delivery ends before this transaction. */
async function holdQueued(
  transaction: DatabaseTransaction,
  formId: FormId,
  eventIds: readonly string[],
): Promise<readonly string[]> {
  const queued = transaction
    .selectFrom("delivery_queue")
    .innerJoin("delivery", (join) =>
      join
        .onRef("delivery.form_id", "=", "delivery_queue.form_id")
        .onRef("delivery.id", "=", "delivery_queue.delivery_id"),
    )
    .select("delivery.event_id")
    .where(isOfForm(transaction, formId, "delivery.form_id"))
    .where("delivery.event_id", "in", eventIds)
    .orderBy("delivery_queue.delivery_id");
  const rows = await (kindOf(transaction) === "sqlite" ? queued : queued.forUpdate("delivery_queue")).execute();
  return [...new Set(rows.map(({ event_id }) => event_id))];
}

/** Marks these bodies to be wiped; those that are built from rows that are about to go are in their events from now on. */
async function writeDown(transaction: DatabaseTransaction, formId: FormId, eventIds: readonly string[]): Promise<void> {
  const bodies = await findBodies(transaction, formId, eventIds);
  const keeping = keepBodies(
    transaction,
    [...bodies].map(([id, body]) => [body, null, null, 1, formId, id]),
  );
  if (keeping !== undefined) await transaction.executeQuery(keeping);
}

const keepBodies = createRowChange({
  table: "event",
  set: { body: "bytea", body_layout: "bigint", form_name: "text", wipe: "bigint" },
  key: { form_id: "text", id: "text" },
});

/** A delivery by its form and its id. */
export type DeliveryKey = readonly [formId: string, deliveryId: string];

/** Wipes the bodies that were marked while these deliveries were on their way, unless another delivery still needs them. */
export async function wipeMarkedBodies(transaction: DatabaseTransaction, ended: readonly DeliveryKey[]): Promise<void> {
  if (ended.length > 0) await transaction.executeQuery(compileWipe(transaction, ended));
}

const deliveryKey = { form_id: "text", delivery_id: "text" } as const;
const wipeOnPostgres = `
  update event set body = null, wipe = 0
  from ${printColumns(deliveryKey)} as line(form_id, delivery_id)
    join delivery ended on ended.form_id = line.form_id and ended.id = line.delivery_id
  where event.form_id = ended.form_id and event.id = ended.event_id and event.wipe = 1
    and not exists (select 1 from delivery d join delivery_queue q on q.form_id = d.form_id and q.delivery_id = d.id
                    where d.form_id = event.form_id and d.event_id = event.id)`;
// Repeated for each table: Citus does not infer a list of forms through a join.
const wipeOnCluster = `${wipeOnPostgres} and event.form_id = any($3::text[]) and ended.form_id = any($3::text[])`;
const wipeOnSqlite = `
  update event set body = null, wipe = 0
  where wipe = 1 and id in (select event_id from delivery where id in (select value from json_each(?)))
    and not exists (select 1 from delivery join delivery_queue on delivery_queue.delivery_id = delivery.id
                    where delivery.event_id = event.id)`;

/** The statement of `wipeMarkedBodies`. */
export function compileWipe(transaction: DatabaseTransaction, ended: readonly DeliveryKey[]): CompiledQuery {
  if (kindOf(transaction) === "sqlite")
    return CompiledQuery.raw(wipeOnSqlite, [JSON.stringify(ended.map(([, id]) => id))]);
  const keys = encodeColumns(deliveryKey, ended);
  return isDistributed(transaction)
    ? CompiledQuery.raw(wipeOnCluster, [...keys, encodeForms(ended.map(([formId]) => formId))])
    : keepPlanned(CompiledQuery.raw(wipeOnPostgres, keys));
}
