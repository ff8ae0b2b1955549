import sightsJson from "../../../wire/vectors/first-sights.json" with { type: "json" };
import type { followList } from "../follow-list.ts";
import { createSeenHeads } from "../seen-heads.ts";
import type { FirstSightVector } from "./first-sight-vectors.ts";
import { createHeadStore } from "./head-store.ts";

// Our own generator wrote this file from this type; JSON only widens the texts.
export const firstSights = sightsJson as unknown as readonly FirstSightVector[];

/** The function that vectors try: ours, or one with a mistake in it. */
export interface Sighting {
  readonly followList: typeof followList;
}

/** The outcome of an implementation for a vector, in the vector's own words. */
export async function tryFirstSight({ followList }: Sighting, vector: FirstSightVector): Promise<string> {
  const { organizationId, list, signedHead, signingKey, brought } = vector;
  const source = {
    ...{ organizationId, heads: createSeenHeads(createHeadStore()) },
    fetchList: async () => new TextEncoder().encode(list),
    fetchNames: async () => undefined,
  };
  const first = await followList({ ...source, trust: { signedHead, signingKey } });
  const followed = brought === undefined ? first : await followList({ ...source, trust: brought });
  if (followed.kind !== "checked") return followed.kind;
  return followed.isForReading ? "for_reading" : "checked";
}
