import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { compileOnce, isOneOf } from "../database/insert-rows.ts";
import { kindOf } from "../database/kind.ts";

/**
 * Wipes the bodies that hold these submissions, or payloads would outlive their deletion by the 30 days of the log
 * (contract, section 9.8). A body that still has a delivery on its way is only marked, and `wipeMarkedBodies` wipes it when
 * that one ends. At most 500 ids: they are parameters of one statement.
 */
export async function wipeSubmissionBodies(
  transaction: DatabaseTransaction,
  formId: FormId,
  submissionIds: readonly string[],
): Promise<void> {
  if (submissionIds.length === 0) return;
  // A process that is just ending one of these deliveries has looked for the mark, and did not find it.
  await holdQueued(transaction, formId, submissionIds);
  const marked = await transaction
    .updateTable("event")
    .set({ wipe: 1 })
    .where("form_id", "=", formId)
    .where("submission_id", "in", submissionIds)
    // The event that says that it was deleted holds nothing but its id.
    .where("kind", "=", "submission.created")
    .where("body", "is not", null)
    .returning("id")
    .execute();
  if (marked.length === 0) return;
  await transaction
    .updateTable("event")
    .set({ body: null, wipe: 0 })
    .where(
      "id",
      "in",
      marked.map(({ id }) => id),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("delivery")
            .innerJoin("delivery_queue", "delivery_queue.delivery_id", "delivery.id")
            .select("delivery.id")
            .whereRef("delivery.event_id", "=", "event.id"),
        ),
      ),
    )
    .execute();
}

async function holdQueued(
  transaction: DatabaseTransaction,
  formId: FormId,
  submissionIds: readonly string[],
): Promise<void> {
  if (kindOf(transaction) === "sqlite") return;
  await transaction
    .selectFrom("delivery_queue")
    .innerJoin("delivery", "delivery.id", "delivery_queue.delivery_id")
    .innerJoin("event", "event.id", "delivery.event_id")
    .select("delivery_queue.delivery_id")
    .where("event.form_id", "=", formId)
    .where("event.submission_id", "in", submissionIds)
    .orderBy("delivery_queue.delivery_id")
    .forUpdate("delivery_queue")
    .execute();
}

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
