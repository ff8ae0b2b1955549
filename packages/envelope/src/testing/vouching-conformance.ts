import vectorsJson from "../../../wire/vectors/list-vouching.json" with { type: "json" };
import { verifyList } from "../list.ts";
import type { findEdges, findVouched } from "../vouching.ts";
import { findPersonalKey } from "./people.ts";
import type { VouchingVector } from "./vouching-vectors.ts";

// Our own generator wrote the file from this type; JSON only widens the texts.
export const vouchingVectorFile = vectorsJson as unknown as readonly VouchingVector[];

/** The functions that vectors try: ours, or one with a mistake in it. */
export interface Vouching {
  readonly findEdges: typeof findEdges;
  readonly findVouched: typeof findVouched;
}

/** The result of an implementation for a vector, in the vector's own words. */
export async function tryVouching(implementation: Vouching, vector: VouchingVector): Promise<unknown> {
  const list = await verifyList(new TextEncoder().encode(vector.list), vector);
  if ("reason" in list) throw list;
  const own = vector.own === null ? undefined : await findPersonalKey(vector.own);
  const edges = Object.fromEntries([...implementation.findEdges(list)].sort());
  return { edges, vouched: [...implementation.findVouched(list, own)].sort() };
}

export function expectedOfVouching({ edges, vouched }: VouchingVector): unknown {
  return { edges: Object.fromEntries(Object.entries(edges).sort()), vouched };
}
