import headsJson from "../../../wire/vectors/signed-heads.json" with { type: "json" };
import { verifySignedHead } from "../signed-head.ts";
import type { HeadVector } from "./head-vectors.ts";

// Our own generator wrote this file from this type; JSON only widens the texts.
export const signedHeads = headsJson as unknown as readonly HeadVector[];

/** The function that vectors try: ours, or one with a mistake in it. */
export interface HeadVerifying {
  readonly verifySignedHead: typeof verifySignedHead;
}

export const oursVerifying: HeadVerifying = { verifySignedHead };

/** The result of an implementation for a vector, in the vector's own words. */
export async function verifyHeadVector(implementation: HeadVerifying, vector: HeadVector): Promise<unknown> {
  const { organizationId, signingKey } = vector;
  const head = await implementation.verifySignedHead(vector.signedHead, { organizationId, signingKey });
  return "reason" in head ? { outcome: head.reason } : { outcome: "verified", list: head };
}

export function expectedOfHead({ outcome, list }: HeadVector): unknown {
  return outcome === "verified" ? { outcome, list } : { outcome };
}
