import type { verifyKeyLog } from "../key-log.ts";
import type { KeyLogVector } from "./key-log-vectors.ts";

export async function verifyKeyLogVector(
  verify: typeof verifyKeyLog,
  { log, formId, head }: KeyLogVector,
): Promise<unknown> {
  const verified = await verify(new TextEncoder().encode(log), { formId, head: head ?? undefined });
  if (typeof verified === "string") return verified;
  const { place, key, owners, managers } = verified.entry;
  return { head: verified.head, place, key, owners, managers };
}

export function expectedOfKeyLog({ outcome, newest }: KeyLogVector): unknown {
  return outcome === "verified" ? newest : outcome;
}
