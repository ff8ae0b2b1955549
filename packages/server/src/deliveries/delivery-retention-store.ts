import type { Database } from "../database/database.ts";
import { holdEvents, selectForUpdateSkipLocked } from "../database/lock.ts";
import type { Instant } from "./delivery.ts";

export interface DeliveryRetentionStore {
  /**
   * Removes at most `limit` deliveries that ended before `before`, with their attempts, and their events unless a resend
   * still needs them. Answers how many.
   */
  deleteEnded(before: Instant, limit: number): Promise<number>;
}

export function createDeliveryRetentionStore(database: Database): DeliveryRetentionStore {
  return {
    deleteEnded: (before, limit) =>
      database.transaction().execute(async (transaction) => {
        const ended = transaction
          .selectFrom("delivery")
          .select(["id", "event_id"])
          .where("finished_at", "<", before)
          .orderBy("finished_at")
          .limit(limit);
        const rows = await selectForUpdateSkipLocked(transaction, ended, "delivery").execute();
        if (rows.length === 0) return 0;
        const ids = rows.map(({ id }) => id);
        const eventIds = rows.map(({ event_id }) => event_id);
        // Another process may be removing another delivery of the same event, and somebody may be sending it again.
        await holdEvents(transaction, eventIds);
        await transaction.deleteFrom("attempt").where("delivery_id", "in", ids).execute();
        await transaction.deleteFrom("delivery").where("id", "in", ids).execute();
        await transaction
          .deleteFrom("event")
          .where("id", "in", eventIds)
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom("delivery").select("id").whereRef("delivery.event_id", "=", "event.id"))),
          )
          .execute();
        return rows.length;
      }),
  };
}
