import type { OpeningKey } from "@sealpost/sdk";

/** Keys that are held already are left alone: what they opened stays open. One without its hybrid key gives way to the whole. */
export function mergeKeys(before: readonly OpeningKey[], keys: readonly OpeningKey[]): readonly OpeningKey[] {
  const isKnown = (key: OpeningKey) =>
    before.some(({ fingerprint, hybrid }) => fingerprint === key.fingerprint && (hybrid !== undefined || !key.hybrid));
  const added = keys.filter((key) => !isKnown(key));
  if (added.length === 0) return before;
  const kept = before.filter(({ fingerprint }) => !added.some((key) => key.fingerprint === fingerprint));
  return [...kept, ...added];
}
