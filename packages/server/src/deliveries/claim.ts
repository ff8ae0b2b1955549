import type { DeliveryId, FormId } from "@sealpost/wire";
import { answerMilliseconds } from "../webhooks/webhook-client.ts";
import type { SecretId } from "../webhooks/webhook-secrets.ts";
import type { Delivery, Instant, SendingDelivery } from "./delivery.ts";
import type { DeliveryError } from "./delivery-error.ts";

/** A delivery that this process may send now, with everything that a request needs. */
export interface ClaimedDelivery {
  readonly id: DeliveryId;
  readonly formId: FormId;
  /** The destination that it was queued for. */
  readonly destination: string;
  /** The one that the webhook had at the claim: another one where its address or its form's organization has changed meanwhile. */
  readonly webhookDestination: string | null;
  /** The address that the webhook had at the claim. */
  readonly webhookUrl: string | null;
  readonly kind: string;
  readonly occurredAt: Instant;
  readonly createdAt: Instant;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly sending: SendingDelivery;
  /** The valid secrets in the form's order: the one that was accepted last, then the newest to the oldest. */
  readonly secrets: readonly [ClaimedSecret, ...ClaimedSecret[]];
  readonly lease: Lease;
}

export interface ClaimedSecret {
  readonly id: SecretId;
  readonly value: string;
  readonly isCurrent: boolean;
}

/** The right to record how a delivery continued. Lost when somebody else claimed it meanwhile, or it was ended from outside. */
export interface Lease {
  readonly token: string;
  /** The log row of the request that is being made. */
  readonly attemptId: number;
  /** When it was taken or renewed. */
  readonly since: Instant;
}

/** How one request of a claimed delivery ended, and what the delivery becomes by it. */
export interface Completion {
  readonly claimed: ClaimedDelivery;
  /** Its state while this request was made. */
  readonly before: SendingDelivery;
  readonly lease: Lease;
  readonly at: Instant;
  /** `undefined` when nobody knows how the request ended (a shutdown): its attempt is not used up. */
  readonly result: RequestResult | undefined;
  /** No request was made: the claim is given back, and the log has no line of it. */
  readonly isUnsent?: boolean | undefined;
  readonly after: Delivery;
}

/** The parts of a completion that are stored. */
export interface EndedRequest extends Omit<Completion, "claimed" | "before"> {
  readonly claimed: Pick<ClaimedDelivery, "id" | "formId" | "webhookDestination" | "webhookUrl"> & {
    readonly secrets: readonly Pick<ClaimedSecret, "id" | "isCurrent">[];
  };
  readonly before: Pick<SendingDelivery, "attempt" | "isTest">;
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

/**
 * Whether a request may begin under the lease, which has to last for as long as one takes. A process that stood still since its claim would
 * otherwise send what another one has claimed by now.
 */
export function mayBegin({ since }: Lease, now: Instant): boolean {
  return now - since <= leaseMilliseconds - answerMilliseconds;
}
