import assert from "node:assert/strict";
import type { Claim } from "../delivery-store.ts";
import type { ClaimScope } from "../queue-claim.ts";
import type { DeliveryBench } from "./delivery-bench.ts";

export const unlimited = { taken: () => {}, read: () => ({ claimed: [], isAhead: true, paces: [] }) };

/** Claims as another process does. Room for everybody, by default. */
export async function claimDue(
  { store, clock }: Pick<DeliveryBench, "store" | "clock">,
  more: Partial<ClaimScope> = {},
): Promise<Claim> {
  const { claim } = await store.settleAndClaim([], {
    now: clock.now(),
    slots: 64,
    retrySlots: 48,
    afterDestination: "",
    fullDestinations: [],
    destinationLimits: { ...unlimited, roomMax: 64, room: () => 64 },
    inFlight: [],
    ...more,
  });
  assert.ok(claim);
  return claim;
}
