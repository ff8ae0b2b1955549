import { setImmediate } from "node:timers/promises";
import { CompiledQuery, sql } from "kysely";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import type { Database } from "../database/database.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { gatherCounts } from "./gathered-counts.ts";
import { countBy, type RateLimiter, type RateLimiterOptions, toQuota, windowSeconds } from "./rate-limiter.ts";

/** Counts that all processes on a PostgreSQL database share, in the table `rate_limit`. */
export interface RateLimitStore {
  create(options: RateLimiterOptions): RateLimiter;
  /** Removes the rows of windows that ended before `now`, milliseconds since the Unix epoch. */
  removeEnded(now: number): Promise<void>;
}

/** The library's own PostgreSQL store, whose SQL runs through our connections. */
export function createRateLimitStore(database: Database): RateLimitStore {
  const client = {
    async query({ text, values }: { readonly text: string; readonly values: readonly unknown[] }) {
      const { rows } = await database.executeQuery(CompiledQuery.raw(text, [...values]));
      return { rows, rowCount: rows.length };
    },
  };
  /** Seconds of windows that are no minute, by the beginning of their keys. */
  const windows = new Map<string, number>();
  const removeSome = createRowRemoval(database, {
    table: "rate_limit",
    key: ["key"],
    by: "expire",
    // Also what was begun by a clock that was ahead and was put right since: it would hold a client out for as long. A minute
    // more than its window, because clocks of several machines are never quite the same.
    isDue: (now, name) => {
      const isOfLonger = Array.from(
        windows,
        ([prefix, seconds]) =>
          sql`and not (key like ${`${prefix}%`} and ${name("expire")} <= ${now + (seconds + windowSeconds) * 1000})`,
      );
      const ahead = sql`${name("expire")} > ${now + 2 * windowSeconds * 1000}`;
      return sql`(${name("expire")} < ${now} or (${ahead} ${sql.join(isOfLonger, sql` `)}))`;
    },
  });
  return {
    create(options) {
      if (options.seconds !== undefined) windows.set(`${options.name}:`, options.seconds);
      const limiter = new RateLimiterPostgres({
        storeClient: client,
        storeType: "pool",
        tableName: "rate_limit",
        tableCreated: true, // by our migration
        clearExpiredByTimeout: false, // `removeEnded` does, for as long as the service runs
        keyPrefix: options.name,
        points: options.perMinute,
        duration: options.seconds ?? windowSeconds,
      });
      const count = gatherCounts((key, counts) => countBy(limiter, key, counts));
      return { consume: async (key, points = 1) => toQuota(options, await count(key, points)) };
    },
    async removeEnded(now) {
      while (await removeSome(now)) await setImmediate();
    },
  };
}
