import type { Clock } from "../time/clock.ts";

const keptMilliseconds = 10_000;
/** Smaller numbers are quickly counted. */
const countMin = 1000;

export type KeptCounts = (name: string, count: () => Promise<number>) => Promise<number>;

/** Counting is most of what a page of a long list costs, so a large number is kept for ten seconds. */
export function createKeptCounts(clock: Clock): KeptCounts {
  const kept = new Map<string, { readonly count: number; readonly at: number }>();
  return async (name, find) => {
    const now = clock.now();
    const known = kept.get(name);
    if (known !== undefined && Math.abs(now - known.at) < keptMilliseconds) return known.count;
    const count = await find();
    if (count >= countMin) kept.set(name, { count, at: now });
    else kept.delete(name);
    return count;
  };
}
