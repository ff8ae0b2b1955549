import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

export const windowSeconds = 60;
const entriesMaxDefault = 100_000;

/** The rest of a limit after a request. */
export interface Quota {
  /** The limit's name, as the headers show it. */
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Whether this request was one too many. */
  readonly isExceeded: boolean;
  /** Whether it was the first of these in its minute. */
  readonly isFirstExceeded: boolean;
}

/** A number of requests a minute for each key, or of whatever else is counted. */
export interface RateLimiter {
  consume(key: string, count?: number): Promise<Quota>;
}

/** One that counts in this process. */
export interface LocalRateLimiter extends RateLimiter {
  /** The last result of `consume`, without counting. */
  peek(key: string): Promise<Quota>;
}

export interface RateLimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  /** Instead of a minute; an hour at most. */
  readonly seconds?: number;
}

export interface LocalRateLimiterOptions extends RateLimiterOptions {
  readonly entriesMax?: number;
}

/** The outcome of a request, from what the library counted. */
export function toQuota(
  { name, perMinute, seconds = windowSeconds }: RateLimiterOptions,
  counted: Pick<RateLimiterRes, "consumedPoints" | "msBeforeNext"> | null,
): Quota {
  const consumed = counted?.consumedPoints ?? 0;
  return {
    name,
    limit: perMinute,
    remaining: Math.max(perMinute - consumed, 0),
    // No window is longer, but when the clock was put back it seems so; it ends in time all the same.
    resetSeconds: Math.min(Math.max(Math.ceil((counted?.msBeforeNext ?? seconds * 1000) / 1000), 1), seconds),
    isExceeded: consumed > perMinute,
    isFirstExceeded: consumed === perMinute + 1,
  };
}

/** Counts by the library, for which one request too many is an exception. */
export async function countBy(
  limiter: Pick<RateLimiterAbstract, "consume">,
  key: string,
  count = 1,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, count);
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return outcome;
    throw outcome;
  }
}

/**
 * Fixed windows of a minute, each beginning with its first request. The library counts; this holds its table to
 * `entriesMax` keys by forgetting the one whose window began first. Forgetting gives a client a fresh minute; refusing
 * new clients instead would let anybody with enough addresses lock all others out.
 */
export function createRateLimiter(options: LocalRateLimiterOptions): LocalRateLimiter {
  const { perMinute, entriesMax = entriesMaxDefault, seconds = windowSeconds } = options;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: seconds, keyPrefix: "" });
  /** The keys in the order in which their windows began. */
  const begun = new Set<string>();
  return {
    async consume(key, count) {
      const counted = await countBy(limiter, key, count);
      if (counted.isFirstInDuration) await remember(key);
      return toQuota(options, counted);
    },
    async peek(key) {
      return toQuota(options, await limiter.get(key));
    },
  };

  async function remember(key: string): Promise<void> {
    begun.delete(key);
    begun.add(key);
    for (const oldest of begun) {
      if (begun.size <= entriesMax) return;
      begun.delete(oldest);
      await limiter.delete(oldest);
    }
  }
}
