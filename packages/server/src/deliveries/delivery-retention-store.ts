import { createRowChange } from "../database/change-rows.ts";
import type { Database } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { lockEvents, selectForUpdateSkipLocked } from "../database/lock.ts";
import { executePipeline } from "../database/pipeline.ts";
import type { Instant } from "./delivery.ts";

export interface DeliveryRetentionStore {
  /**
   * Removes at most `limit` deliveries that ended before `before`, with their attempts, and their events unless a resend
   * still needs them. Answers how many.
   */
  deleteEnded(before: Instant, limit: number): Promise<number>;
}

const deleteDeliveries = createRowChange({ table: "delivery", key: { form_id: "text", id: "text" } });
const deleteEvents = createRowChange({
  table: "event",
  key: { form_id: "text", id: "text" },
  only: `not exists (
    select 1 from delivery where delivery.form_id = event.form_id and delivery.event_id = event.id)`,
});

export function createDeliveryRetentionStore(database: Database): DeliveryRetentionStore {
  return {
    async deleteEnded(before, limit) {
      if (!isDistributed(database)) return deleteOldest(before, limit);
      // There rows are locked of one form at a time.
      const oldest = await selectEnded(database, before, limit).execute();
      let deleted = 0;
      for (const [formId, rows] of Map.groupBy(oldest, (row) => row.form_id))
        deleted += await deleteOldest(before, rows.length, formId);
      return deleted;
    },
  };

  function deleteOldest(before: Instant, limit: number, formId?: string): Promise<number> {
    return database.transaction().execute(async (transaction) => {
      const ended = selectEnded(transaction, before, limit);
      const ofForm = formId === undefined ? ended : ended.where("form_id", "=", formId);
      const rows = await selectForUpdateSkipLocked(transaction, ofForm, "delivery").execute();
      if (rows.length === 0) return 0;
      const events = rows.map(({ form_id, event_id }) => [form_id, event_id] as const);
      // Another process may be removing another delivery of the same event, and somebody may be sending it again.
      await lockEvents(transaction, events);
      await transaction
        .deleteFrom("attempt")
        .where(
          "form_id",
          "in",
          rows.map(({ form_id }) => form_id),
        )
        .where(
          "delivery_id",
          "in",
          rows.map(({ id }) => id),
        )
        .execute();
      const deliveries = rows.map(({ form_id, id }) => [form_id, id]);
      await executePipeline(transaction, [
        deleteDeliveries(transaction, deliveries),
        deleteEvents(transaction, events),
      ]);
      return rows.length;
    });
  }
}

function selectEnded(database: Database, before: Instant, limit: number) {
  return database
    .selectFrom("delivery")
    .select(["form_id", "id", "event_id"])
    .where("finished_at", "<", before)
    .orderBy("finished_at")
    .limit(limit);
}
