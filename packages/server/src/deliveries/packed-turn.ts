import type { ClaimedDelivery, EndedRequest } from "./claim.ts";
import type { Claim, SettledAndClaimed } from "./delivery-store.ts";
import type { DestinationLimitState } from "./destination-limits.ts";
import type { ClaimScope } from "./queue-claim.ts";

/** A worker's question to its thread. */
export interface TurnQuestion {
  readonly completions: readonly EndedRequest[];
  readonly scope: (Omit<ClaimScope, "destinationLimits"> & { readonly limits: DestinationLimitState }) | undefined;
}

/** An answer as it goes to another thread: all bodies in one buffer, one after the other. */
export interface PackedAnswer {
  readonly json: string;
  readonly bytes: ArrayBuffer;
}

/** As JSON, which costs less than a structured clone of as many small objects. `isNew`: the thread knows nothing of destinations yet. */
export function packQuestion(
  completions: readonly EndedRequest[],
  scope: ClaimScope | undefined,
  isNew: boolean,
): string {
  const question: TurnQuestion = {
    completions: completions.map(toEssentials),
    scope: scope && toPlainScope(scope, isNew),
  };
  return JSON.stringify(question);
}

function toPlainScope({ inFlight, destinationLimits, ...rest }: ClaimScope, isNew: boolean): TurnQuestion["scope"] {
  return {
    ...rest,
    inFlight: inFlight.map(({ id, destination }) => ({ id, destination })),
    limits: destinationLimits.read(isNew),
  };
}

/** Without bodies, secrets and all else that is not stored. */
function toEssentials({ claimed, before, lease, at, result, isUnsent, after }: EndedRequest): EndedRequest {
  const { id, formId, webhookDestination, webhookUrl, secrets } = claimed;
  return {
    claimed: {
      ...{ id, formId, webhookDestination, webhookUrl },
      secrets: secrets.map(({ id, isCurrent }) => ({ id, isCurrent })),
    },
    before: { attempt: before.attempt, isTest: before.isTest },
    ...{ lease, at, result, isUnsent, after },
  };
}

export function unpackQuestion(json: string): TurnQuestion {
  return JSON.parse(json); // written by `packQuestion`
}

type Bodiless = Omit<ClaimedDelivery, "body"> & { readonly body: number };
type BodilessAnswer = Omit<SettledAndClaimed, "claim"> & {
  readonly claim?: Omit<Claim, "deliveries"> & { readonly deliveries: readonly Bodiless[] };
};

export function packAnswer({ stored, claim }: SettledAndClaimed): PackedAnswer {
  const bodies = claim?.deliveries.map(({ body }) => body) ?? [];
  const bytes = new Uint8Array(bodies.reduce((length, body) => length + body.length, 0));
  let offset = 0;
  for (const body of bodies) {
    bytes.set(body, offset);
    offset += body.length;
  }
  const deliveries = claim?.deliveries.map((delivery) => ({ ...delivery, body: delivery.body.length })) ?? [];
  const answer: BodilessAnswer = { stored, ...(claim && { claim: { ...claim, deliveries } }) };
  return { json: JSON.stringify(answer), bytes: bytes.buffer };
}

export function unpackAnswer({ json, bytes }: PackedAnswer): SettledAndClaimed {
  const { stored, claim }: BodilessAnswer = JSON.parse(json); // written by `packAnswer`
  let offset = 0;
  const deliveries = claim?.deliveries.map((delivery) => {
    offset += delivery.body;
    // A copy of its own: one delivery that is under way for long would keep the bytes of all.
    return { ...delivery, body: new Uint8Array(bytes.slice(offset - delivery.body, offset)) };
  });
  return { stored, claim: claim && { ...claim, deliveries: deliveries ?? [] } };
}
