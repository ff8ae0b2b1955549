import type { Bytes } from "./age-header.ts";
import { listBytesMax } from "./list.ts";
import { findFirstNumber, joinParts } from "./list-bytes.ts";

/** The oldest parts of longer lists are left out. This is 16,384 entries of the greatest length. */
const fetchedBytesMax = 4 * listBytesMax;

/** Nothing before it could have been left out for its length, and yet it does not begin with entry 1. */
export function isWithoutEarlier(list: Uint8Array): boolean {
  return findFirstNumber(list) > 1 && list.length < fetchedBytesMax;
}

/**
 * All parts of a list, one after the other. Earlier ones say whose word the edges of carried members are, and who the members were when envelopes of before
 * were written. `fetchPart` gives the newest, or the one with the entry of this number; `undefined` where the server says that there is none.
 */
export async function fetchParts(
  fetchPart: (entry?: number) => Promise<Bytes | undefined>,
): Promise<Bytes | undefined> {
  const newest = await fetchPart();
  if (newest === undefined) return undefined;
  const parts = [newest];
  let bytes = newest.length;
  for (let first = findFirstNumber(newest); first > 1 && bytes < fetchedBytesMax; ) {
    const part = await fetchPart(first - 1);
    // The checks refuse one that is missing, or is not the part that was asked for.
    if (part === undefined || findFirstNumber(part) >= first) break;
    parts.push(part);
    bytes += part.length;
    first = findFirstNumber(part);
  }
  return joinParts(parts.reverse());
}
