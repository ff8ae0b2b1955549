import placesJson from "../../../wire/vectors/list-places.json" with { type: "json" };
import { verifyList } from "../list.ts";
import { parseListEntry } from "../list-entry.ts";
import type { isAllowed } from "../list-rules.ts";
import { signingKey } from "./list-maker.ts";
import type { PlaceCase, PlaceVectors } from "./list-places.ts";

// Our own generator wrote the file from this type; JSON only widens the texts.
export const placeVectorFile = placesJson as unknown as PlaceVectors;

/** Whether the rules alone say of an entry what its vector does, of which the entries before it count, and nothing is verified. */
export async function isPlaceRight(ruling: typeof isAllowed, { place, entry, outcome }: PlaceCase): Promise<boolean> {
  const { list, organizationId } = placeVectorFile;
  const begun = await verifyList(new TextEncoder().encode(list), { organizationId, trust: await signingKey("owner") });
  if ("reason" in begun) throw begun;
  const read = parseListEntry(JSON.parse(entry.split("\n")[0] ?? ""));
  const signer = begun.members.get(read.signedBy);
  if (signer === undefined) throw new Error("A member signs");
  const before = { members: begun.members, count: place - 1, used: new Set<string>(), last: "note" as const };
  return ruling(before, signer, read) === (outcome === "verified");
}
