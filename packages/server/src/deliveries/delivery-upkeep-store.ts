import type { FormId, SubmissionId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { Instant } from "./delivery.ts";

/** What ends, empties or removes deliveries from outside of the queue. */
export interface DeliveryUpkeepStore {
  /** Ends the form's queued deliveries because its URL was removed (`next` with `url_removed`); what is in flight loses its lease. */
  endOfRemovedUrl(transaction: DatabaseTransaction, formId: FormId, now: Instant): Promise<void>;
  /** Takes the form's deliveries out of the queue, because the form is being deleted. */
  unqueue(transaction: DatabaseTransaction, formId: FormId): Promise<void>;
  /** Removes at most `limit` deliveries of a deleted form with their attempts and events; answers how many. */
  purgeForm(formId: FormId, limit: number): Promise<number>;
  /** Empties the events of deleted submissions: at once, or when the last delivery that needs the bytes has ended. */
  wipeSubmissions(
    transaction: DatabaseTransaction,
    formId: FormId,
    submissionIds: readonly SubmissionId[],
  ): Promise<void>;
  /** Removes at most `limit` deliveries that ended before `before`, with their attempts and events; answers how many. */
  deleteEnded(before: Instant, limit: number): Promise<number>;
}

export function createDeliveryUpkeepStore(database: Database): DeliveryUpkeepStore {
  return {
    async endOfRemovedUrl(transaction, formId, now) {
      await transaction
        .updateTable("delivery")
        .set({ state: "failed", finished_at: now, next_attempt_at: null, last_error: "url_removed" })
        .where("id", "in", (queue) =>
          queue.selectFrom("delivery_queue").select("delivery_id").where("form_id", "=", formId),
        )
        .execute();
      const ended = await transaction.deleteFrom("delivery_queue").where("form_id", "=", formId).executeTakeFirst();
      if (ended.numDeletedRows === 0n) return;
      await transaction
        .updateTable("event")
        .set({ body: null, wipe: 0 })
        .where("form_id", "=", formId)
        .where("wipe", "=", 1)
        .execute();
    },

    async unqueue(transaction, formId) {
      await transaction.deleteFrom("delivery_queue").where("form_id", "=", formId).execute();
    },

    purgeForm: (formId, limit) =>
      database.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("delivery")
          .select(["id", "event_id"])
          .where("form_id", "=", formId)
          .orderBy("created_at")
          .limit(limit)
          .execute();
        return remove(transaction, rows);
      }),

    async wipeSubmissions(transaction, formId, submissionIds) {
      if (submissionIds.length === 0) return;
      const isQueued = sql<boolean>`exists (
        select 1 from delivery join delivery_queue on delivery_queue.delivery_id = delivery.id
        where delivery.event_id = event.id)`;
      const events = transaction
        .updateTable("event")
        .where("form_id", "=", formId)
        .where("submission_id", "in", [...submissionIds])
        // The event that says that it was deleted holds nothing but its id.
        .where("kind", "=", "submission.created");
      await events.set({ wipe: 1 }).where(isQueued).execute();
      await events
        .set({ body: null })
        .where(({ not }) => not(isQueued))
        .execute();
    },

    deleteEnded: (before, limit) =>
      database.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("delivery")
          .select(["id", "event_id"])
          .where("finished_at", "<", before)
          .orderBy("finished_at")
          .limit(limit)
          .execute();
        return remove(transaction, rows);
      }),
  };
}

async function remove(
  transaction: DatabaseTransaction,
  rows: readonly { readonly id: string; readonly event_id: string }[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await transaction.deleteFrom("attempt").where("delivery_id", "in", ids).execute();
  await transaction.deleteFrom("delivery_queue").where("delivery_id", "in", ids).execute();
  await transaction.deleteFrom("delivery").where("id", "in", ids).execute();
  await transaction
    .deleteFrom("event")
    .where(
      "id",
      "in",
      rows.map(({ event_id }) => event_id),
    )
    // A resend may have made another delivery of the same event.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("delivery").select("id").whereRef("delivery.event_id", "=", "event.id"))),
    )
    .execute();
  return rows.length;
}
