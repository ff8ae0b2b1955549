import type { AccountId } from "@sealpost/wire";
import { isId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";

export interface Counters {
  /** All submissions that the form ever received. */
  readonly received: number;
  /** Received by UTC day, YYYY-MM-DD; days without any are absent. */
  readonly byDay: ReadonlyMap<string, number>;
}

/** Reads one row per form and one per day, never a submission: the cost is the same however many there are. */
export interface StatisticsStore {
  /** The counters from `firstDay` to `lastDay`; `undefined` when the account has no such form. */
  find(accountId: AccountId, formId: string, firstDay: string, lastDay: string): Promise<Counters | undefined>;
}

export function createStatisticsStore(database: Database): StatisticsStore {
  return {
    async find(accountId, formId, firstDay, lastDay) {
      if (!isId("form", formId)) return undefined;
      const total = await database
        .selectFrom("form")
        .innerJoin("form_count", "form_count.form_id", "form.id")
        .select("form_count.received")
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      if (total === undefined) return undefined;
      const days = await database
        .selectFrom("form_day")
        .select(["day", "received"])
        .where("form_id", "=", formId)
        .where("day", ">=", firstDay)
        .where("day", "<=", lastDay)
        .execute();
      return { received: total.received, byDay: new Map(days.map(({ day, received }) => [day, received])) };
    },
  };
}
