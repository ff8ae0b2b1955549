import placesJson from "../../../wire/vectors/list-places.json" with { type: "json" };
import { verifyList } from "../list.ts";
import { type ListEntry, parseListEntry } from "../list-entry.ts";
import type { apply, isAllowed, nextPlace } from "../list-rules.ts";
import type { Unnamed } from "../member.ts";
import { signingKey } from "./list-maker.ts";
import type { PlaceCase, PlaceVectors } from "./list-places.ts";

// Our own generator wrote the file from this type; JSON only widens the texts.
export const placeVectorFile = placesJson as unknown as PlaceVectors;

interface Ruling {
  readonly apply: typeof apply;
  readonly isAllowed: typeof isAllowed;
  readonly nextPlace: typeof nextPlace;
}

/** Whether the rules alone say of entries what their vector does, of which the places of those before count, and nothing is verified. */
export async function isPlaceRight(ruling: Ruling, { place: first, entries, outcome }: PlaceCase): Promise<boolean> {
  const { list, organizationId, signedBy } = placeVectorFile;
  const begun = await verifyList(new TextEncoder().encode(list), { organizationId, trust: await signingKey("owner") });
  if ("reason" in begun) throw begun;
  const members = new Map<string, Unnamed>(begun.members);
  const signerOf = (id: string) => members.get(id) ?? { role: "program" as const };
  let place = ruling.nextPlace(0, signerOf(toEntry(list).signedBy));
  for (let taken = 2; taken < first; taken++) place = ruling.nextPlace(place, signerOf(signedBy));
  const allowed = entries.map(toEntry).map((entry) => {
    const signer = members.get(entry.signedBy);
    if (signer === undefined) throw new Error("A member signs");
    const isTaken = ruling.isAllowed({ members, place, used: new Set(), changed: new Map() }, signer, entry);
    place = ruling.nextPlace(place, signer);
    ruling.apply(members, entry, (member) => member);
    return isTaken;
  });
  return allowed.slice(0, -1).every(Boolean) && allowed.at(-1) === (outcome === "verified");
}

function toEntry(text: string): ListEntry {
  return parseListEntry(JSON.parse(text.split("\n")[0] ?? ""));
}
