import { joinShares, type RecoveryShare } from "@sealpost/envelope";
import { formatList } from "../texts/format.ts";
import { text } from "../texts/text.ts";

const { offline } = text;

export interface JoinedSets {
  /** Keys that were whole. */
  readonly identities: readonly string[];
  /** Shares of sets that want more of them. */
  readonly waiting: readonly RecoveryShare[];
  /** Sentences on sets that make no key: all of their sheets are dropped. */
  readonly refusals: readonly string[];
}

/** Joins shares of recovery keys, each set by itself. A share that was brought twice counts once. */
export async function joinSets(shares: readonly RecoveryShare[]): Promise<JoinedSets> {
  const identities: string[] = [];
  const waiting: RecoveryShare[] = [];
  const refusals: string[] = [];
  for (const set of groupBySet(shares)) {
    const joined = await joinShares(set);
    if ("identity" in joined) identities.push(joined.identity);
    else if ("missing" in joined) waiting.push(...new Map(set.map((share) => [share.place, share])).values());
    else refusals.push(offline.refusedShares);
  }
  return { identities, waiting, refusals };
}

/** A sentence on each set that wants more of its sheets. */
export function describeWaitingShares(shares: readonly RecoveryShare[]): readonly string[] {
  return groupBySet(shares).map((set) => {
    const { needed = 0, of = 0 } = set[0] ?? {};
    const places = set.map(({ place }) => place).toSorted((one, other) => one - other);
    return offline.waitingShares(places.length, formatList(places), of, needed - places.length);
  });
}

function groupBySet(shares: readonly RecoveryShare[]): readonly (readonly RecoveryShare[])[] {
  const sets = new Map<string, RecoveryShare[]>();
  for (const share of shares) {
    const name = `${share.set} ${share.needed} ${share.of}`;
    sets.set(name, [...(sets.get(name) ?? []), share]);
  }
  return [...sets.values()];
}
