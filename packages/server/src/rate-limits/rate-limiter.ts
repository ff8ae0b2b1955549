import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

export const windowSeconds = 60;
const entriesMaxDefault = 100_000;

/** What is left of a limit after a request. */
export interface Quota {
  /** The limit's name, as the headers show it. */
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Whether this request was one too many. */
  readonly isExceeded: boolean;
}

/** A number of requests a minute for each key, counted in this process. */
export interface RateLimiter {
  consume(key: string): Promise<Quota>;
  /** What `consume` said last, without counting. */
  peek(key: string): Promise<Quota>;
}

export interface RateLimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly entriesMax?: number;
}

/**
 * Fixed windows of a minute, each beginning with its first request. The library counts; this holds its table to
 * `entriesMax` keys by forgetting the one whose window began first. Forgetting gives a client a fresh minute; refusing
 * new clients instead would let anybody with enough addresses lock all others out.
 */
export function createRateLimiter({
  name,
  perMinute,
  entriesMax = entriesMaxDefault,
}: RateLimiterOptions): RateLimiter {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds, keyPrefix: "" });
  /** The keys in the order in which their windows began. */
  const begun = new Set<string>();

  return {
    async consume(key) {
      const counted = await count(key);
      if (counted.isFirstInDuration) await remember(key);
      return toQuota(counted);
    },
    async peek(key) {
      return toQuota(await limiter.get(key));
    },
  };

  async function count(key: string): Promise<RateLimiterRes> {
    try {
      return await limiter.consume(key);
    } catch (outcome) {
      if (outcome instanceof RateLimiterRes) return outcome; // one too many
      throw outcome;
    }
  }

  async function remember(key: string): Promise<void> {
    begun.delete(key);
    begun.add(key);
    for (const oldest of begun) {
      if (begun.size <= entriesMax) return;
      begun.delete(oldest);
      await limiter.delete(oldest);
    }
  }

  function toQuota(counted: RateLimiterRes | null): Quota {
    const consumed = counted?.consumedPoints ?? 0;
    return {
      name,
      limit: perMinute,
      remaining: Math.max(perMinute - consumed, 0),
      resetSeconds: Math.max(Math.ceil((counted?.msBeforeNext ?? windowSeconds * 1000) / 1000), 1),
      isExceeded: consumed > perMinute,
    };
  }
}
