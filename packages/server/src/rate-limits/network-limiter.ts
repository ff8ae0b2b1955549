import { type ClientNetwork, requestShares, type Shares, type Width } from "./client-address.ts";
import { createRateLimiter, type LocalRateLimiter, type Quota, type RateLimiterOptions } from "./rate-limiter.ts";

/** A number of requests a minute for each network, at every width. */
export interface NetworkLimiter {
  /** Counts for all `networks` of a client, the narrowest first. A wider one is refused with the limit of an address: what neighbours do is nobody's business. */
  consume(networks: readonly KeyedNetwork[], count?: number): Promise<Quota>;
  /** Whether another would be refused, without counting: nothing `remaining` then. */
  peek(networks: readonly KeyedNetwork[]): Promise<Quota>;
}

/** A network, and the key that it is counted by. */
export interface KeyedNetwork extends Pick<ClientNetwork, "width"> {
  readonly key: string;
}

/** There are fewer wide networks, and who has many of the narrow ones must not have those forgotten. */
const entriesMaxOf: Shares = { address: 100_000, site: 25_000, organization: 25_000, provider: 25_000 };

export function createNetworkLimiter(options: RateLimiterOptions, shares = requestShares): NetworkLimiter {
  const limiters = new Map<Width, LocalRateLimiter>();
  for (const [width, entriesMax] of Object.entries(entriesMaxOf) as [Width, number][]) {
    const perMinute = options.perMinute * shares[width];
    limiters.set(width, createRateLimiter({ ...options, perMinute, entriesMax }));
  }

  function limiterOf({ width }: KeyedNetwork): LocalRateLimiter {
    const limiter = limiters.get(width);
    if (limiter === undefined) throw new Error(`Nothing counts networks of the width ${width}`);
    return limiter;
  }

  /** The refusal as the client sees it: the limit is that of an address. */
  function refuse({ resetSeconds }: Quota): Quota {
    const { name, perMinute: limit } = options;
    return { name, limit, remaining: 0, resetSeconds, isExceeded: true, isFirstExceeded: false };
  }

  async function findUsedUp(networks: readonly KeyedNetwork[]): Promise<Quota | undefined> {
    for (const network of networks) {
      const quota = await limiterOf(network).peek(network.key);
      if (quota.remaining === 0) return quota;
    }
    return undefined;
  }

  return {
    async consume([address, ...wider], count) {
      if (address === undefined) throw new Error("A client is in a network");
      // First, so that what is refused begins no windows of its own, and a wide network fills no table.
      const usedUp = await findUsedUp(wider);
      if (usedUp !== undefined) return refuse(usedUp);
      const own = await limiterOf(address).consume(address.key, count);
      // Requests beyond an address's own limit take nothing from its neighbours.
      if (own.isExceeded) return own;
      for (const network of wider) {
        const quota = await limiterOf(network).consume(network.key, count);
        if (quota.isExceeded) return refuse(quota);
      }
      return own;
    },
    async peek([address, ...wider]) {
      if (address === undefined) throw new Error("A client is in a network");
      const own = await limiterOf(address).peek(address.key);
      const usedUp = await findUsedUp(wider);
      return usedUp === undefined ? own : { ...own, remaining: 0, resetSeconds: usedUp.resetSeconds };
    },
  };
}
