import type { DeliveryId, FormId } from "@sealpost/wire";
import type { Delivery, Instant, SecretName, SendingDelivery } from "./delivery.ts";
import type { DeliveryError } from "./delivery-error.ts";

/** A delivery that this process may send now, with everything that a request needs. */
export interface ClaimedDelivery {
  readonly id: DeliveryId;
  readonly formId: FormId;
  /** The lane that it was queued in. */
  readonly host: string;
  readonly kind: string;
  readonly occurredAt: Instant;
  readonly createdAt: Instant;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly sending: SendingDelivery;
  /** The values of the valid secrets. */
  readonly secrets: { readonly current: string; readonly previous: string | undefined };
  readonly signFirst: SecretName;
  /** Tells one rotation of the secrets from another; null outside of a rotation. */
  readonly previousExpiresAt: Instant | null;
  readonly lease: Lease;
}

/** The right to say how a delivery went on. Lost when somebody else claimed it meanwhile, or it was ended from outside. */
export interface Lease {
  readonly token: string;
  /** The log row of the request that is being made. */
  readonly attemptId: number;
}

/** How one request of a claimed delivery ended, and what the delivery becomes by it. */
export interface Completion {
  readonly claimed: ClaimedDelivery;
  /** What it was while this request was made. */
  readonly before: SendingDelivery;
  readonly lease: Lease;
  readonly at: Instant;
  /** `undefined` when nobody knows how the request ended (a shutdown): its attempt is not used up. */
  readonly result: RequestResult | undefined;
  readonly after: Delivery;
}

export interface RequestResult {
  readonly durationMilliseconds: number;
  readonly statusCode: number | undefined;
  readonly error: DeliveryError | undefined;
}

/** `lost`: nothing but the attempt's own row was changed. `lease`: for the next request of the same turn. */
export type Stored =
  | { readonly kind: "stored" }
  | { readonly kind: "continued"; readonly lease: Lease }
  | { readonly kind: "lost" };

/** Longer than a request (30 s), its resend and the database together may take: nobody else claims it meanwhile. */
export const leaseMilliseconds = 75_000;
