import { fillOutcomes, type Workers } from "../database/workers.ts";
import type { EndedRequest, Stored } from "./claim.ts";

/**
 * On a cluster the forms of workers that are away stop nobody else. How their requests ended is not stored: they are sent once
 * more when their leases have ended, as after a crash.
 */
export async function settleReachable<Settled extends { readonly stored: readonly Stored[] }>(
  workers: Workers,
  completions: readonly EndedRequest[],
  settle: (reachable: readonly EndedRequest[]) => Promise<Settled>,
): Promise<Settled> {
  const { result, isReached } = await workers.withReachable(completions, ({ claimed }) => claimed.formId, settle);
  const stored = fillOutcomes<EndedRequest, Stored>(completions, isReached, result.stored, { kind: "lost" });
  return { ...result, stored };
}
