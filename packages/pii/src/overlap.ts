import type { Candidate } from "./scan.ts";
import { allTypes } from "./types.ts";

/**
 * Merges overlapping candidates into their union, so that no tail of one can survive next to the other. The strongest names
 * it: checksum before shape, then the longest, then the order of the table of types. Sorted, not overlapping.
 */
export function resolveOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const resolved: Candidate[] = [];
  let best: Candidate | undefined;
  // A copy by hand: `toSorted` is younger than the oldest browsers that the embed runs in.
  for (const candidate of [...candidates].sort((one, other) => one.start - other.start)) {
    const last = resolved.at(-1);
    if (last === undefined || best === undefined || candidate.start >= last.end) {
      best = candidate;
      resolved.push(candidate);
    } else {
      if (isStronger(candidate, best)) best = candidate;
      resolved[resolved.length - 1] = { ...best, start: last.start, end: Math.max(last.end, candidate.end) };
    }
  }
  return resolved;
}

function isStronger(one: Candidate, other: Candidate): boolean {
  if (one.strength !== other.strength) return one.strength > other.strength;
  const difference = one.end - one.start - (other.end - other.start);
  return difference === 0 ? allTypes.indexOf(one.type) < allTypes.indexOf(other.type) : difference > 0;
}
