import { CompiledQuery } from "kysely";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import type { Database } from "../database/database.ts";
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
  return {
    create(options) {
      const limiter = new RateLimiterPostgres({
        storeClient: client,
        storeType: "pool",
        tableName: "rate_limit",
        tableCreated: true, // by our migration
        clearExpiredByTimeout: false, // `removeEnded` does, for as long as the service runs
        keyPrefix: options.name,
        points: options.perMinute,
        duration: windowSeconds,
      });
      return { consume: async (key) => toQuota(options, await countBy(limiter, key)) };
    },
    async removeEnded(now) {
      await database.deleteFrom("rate_limit").where("expire", "<", now).execute();
    },
  };
}
