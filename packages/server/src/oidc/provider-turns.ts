import { Problem } from "../problems/problem.ts";
import { toNestedNetworks } from "../rate-limits/client-address.ts";
import { createFairQueue } from "../rate-limits/fair-queue.ts";
import { OidcRefusal } from "./refusal.ts";

/**
 * Turns for what this process asks the identity provider for somebody who came back from it. Nobody knows who that is, and the code may be made up.
 * A provider slows a client down that asks for many tokens, and then nobody signs in: so only some ask at once, networks in turn, and all together have a
 * bound. The last part of it is for networks that had nothing within the minute. Throws an `OidcRefusal` (`busy`) where it is reached.
 */
export interface ProviderTurns {
  run<Result>(ip: string | undefined, work: () => Promise<Result>): Promise<Result>;
}

export interface ProviderTurnsOptions {
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

const windowMilliseconds = 60_000;
/** Requests for tokens in a minute of a process. The free plans of providers allow a few hundred from one client. */
export const perMinuteMax = 120;
/** Requests after which only networks that had none within the minute get one. */
export const perMinuteOfKnown = 80;

/** Somebody who came back from the provider. */
const anybody = { accountId: "", personId: undefined };

export function createProviderQueue(runningMax = 8) {
  return createFairQueue({
    runningMax,
    waitingMax: 64,
    waitingMaxOfOne: 8,
    message: "Too many requests. Please try again later.",
    retrySeconds: 10,
  });
}

export function createProviderTurns({ now = () => performance.now() }: ProviderTurnsOptions = {}): ProviderTurns {
  const queue = createProviderQueue();
  let begunAt = -Infinity;
  let asked = 0;
  /** The widest networks that had a turn within the minute. */
  const known = new Set<string>();

  return {
    async run(ip, work) {
      const networks = toNestedNetworks(ip);
      try {
        return await queue.run(anybody, async () => take(networks[0], work), { networks });
      } catch (error) {
        if (error instanceof Problem) throw new OidcRefusal("busy", "too many wait for the provider", error);
        throw error;
      }
    },
  };

  function take<Result>(network: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (now() - begunAt >= windowMilliseconds) {
      begunAt = now();
      asked = 0;
      known.clear();
    }
    const isKnown = known.has(network ?? "");
    if (asked >= (isKnown ? perMinuteOfKnown : perMinuteMax))
      throw new OidcRefusal("busy", "too many requests for tokens within a minute");
    asked += 1;
    known.add(network ?? "");
    return work();
  }
}
