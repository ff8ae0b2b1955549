import { expressionBuilder } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { Database } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { isDatabaseUnreachable } from "../database/errors.ts";
import { createFailedRows } from "../database/failed-rows.ts";
import { lockEvents, selectForUpdateSkipLocked } from "../database/lock.ts";
import { executePipeline } from "../database/pipeline.ts";
import type { Tables } from "../database/schema.ts";
import type { Instant } from "./delivery.ts";

export interface DeliveryRetentionStore {
  /**
   * Removes at most `limit` deliveries that ended before `before`, with their attempts, and their events unless a resend
   * still needs them. Answers how many it has looked at. Once it fails of one, the calls that follow go through the others in their
   * order, each in a transaction of its own, and at their end a `FailedRowsError` with those that stay is thrown.
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

interface Ended {
  readonly form_id: string;
  readonly id: string;
  readonly finished_at: number;
}

export function createDeliveryRetentionStore(database: Database): DeliveryRetentionStore {
  const failed = createFailedRows();
  /** The last delivery of the look before, while there is one that can't be removed. */
  let place: Ended | "start" | undefined;
  return {
    async deleteEnded(before, limit) {
      if (place === undefined)
        try {
          return await deleteBatch(before, limit);
        } catch (error) {
          if (isDatabaseUnreachable(error)) throw error;
          place = "start";
        }
      return deleteEach(before, limit, place);
    },
  };

  async function deleteBatch(before: Instant, limit: number): Promise<number> {
    if (!isDistributed(database)) return deleteOldest(before, limit);
    // There rows are locked of one form at a time.
    const oldest = await selectEnded(database, before, limit).execute();
    let deleted = 0;
    for (const [formId, rows] of Map.groupBy(oldest, (row) => row.form_id))
      deleted += await deleteOldest(before, rows.length, { form_id: formId });
    return deleted;
  }

  async function deleteEach(before: Instant, limit: number, after: Ended | "start"): Promise<number> {
    const { refTuple, tuple, eb } = expressionBuilder<Tables, "delivery">();
    let following = selectEnded(database, before, limit).orderBy("form_id").orderBy("id");
    if (after !== "start")
      following = following.where(
        eb(refTuple("finished_at", "form_id", "id"), ">", tuple(after.finished_at, after.form_id, after.id)),
      );
    const rows = await following.execute();
    for (const { form_id, id } of rows)
      try {
        await deleteOldest(before, 1, { form_id, id });
      } catch (error) {
        failed.add(id, error);
      }
    const last = rows.at(-1);
    place = rows.length < limit || last === undefined ? undefined : { ...last, finished_at: Number(last.finished_at) };
    if (place === undefined) failed.throwAny();
    return rows.length;
  }

  function deleteOldest(
    before: Instant,
    limit: number,
    of: { readonly form_id?: string; readonly id?: string } = {},
  ): Promise<number> {
    return database.transaction().execute(async (transaction) => {
      let ended = selectEnded(transaction, before, limit);
      if (of.form_id !== undefined) ended = ended.where("form_id", "=", of.form_id);
      if (of.id !== undefined) ended = ended.where("id", "=", of.id);
      const rows = await selectForUpdateSkipLocked(transaction, ended, "delivery").execute();
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
    .select(["form_id", "id", "event_id", "finished_at"])
    .where("finished_at", "<", before)
    .orderBy("finished_at")
    .limit(limit);
}
