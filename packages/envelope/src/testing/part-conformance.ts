import partsJson from "../../../wire/vectors/list-parts.json" with { type: "json" };
import type { verifyList } from "../list.ts";
import type { PartVector, PartVectors } from "./list-parts.ts";

// Our own generator wrote the file from this type; JSON only widens the texts.
export const partVectorFile = partsJson as unknown as PartVectors;

/** The result of an implementation for a vector, in the vector's own words. */
export async function tryParts(verifying: typeof verifyList, vector: PartVector): Promise<unknown> {
  const parts = vector.parts.map((name) => new TextEncoder().encode(partVectorFile.texts[name]));
  const result = await verifying({ first: vector.first, parts }, vector);
  if ("reason" in result) return { outcome: result.reason };
  return { outcome: "verified", head: result.head, members: [...result.members.keys()].sort() };
}

export function expectedOfParts({ outcome, head, members }: PartVector): unknown {
  return outcome === "verified" ? { outcome, head, members: [...(members ?? [])].sort() } : { outcome };
}
