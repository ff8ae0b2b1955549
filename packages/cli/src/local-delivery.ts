import type { Submission } from "@sealpost/sdk";
import { createId, type DeliveryId, signService, signStandard } from "@sealpost/wire";

/** A delivery made on this machine: what the service would send for a new submission, byte for byte but for the id. */
export interface LocalDelivery {
  readonly id: DeliveryId;
  readonly submissionId: string;
  /** In milliseconds, as the body says it. */
  readonly occurredAt: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The `submission.created` event (contract, section 9.2). */
export function createLocalDelivery(
  form: { readonly id: string; readonly name: string },
  { id, payload, keyVersion, timestamp, receivedAt }: Submission,
): LocalDelivery {
  const submission = { id, payload, keyVersion, timestamp, receivedAt };
  const event = { event: "submission.created", timestamp: receivedAt, form, submission };
  const body = new TextEncoder().encode(JSON.stringify(event));
  return { id: createId("delivery"), submissionId: id, occurredAt: receivedAt, body };
}

export interface Signing {
  readonly secret: string;
  /** The time of this attempt, in milliseconds. */
  readonly sentAt: number;
  /** The product's version. */
  readonly version: string;
}

/** The headers of the contract, section 9.3, and of Standard Webhooks, in the service's order. */
export async function signLocalDelivery(
  { id, occurredAt, body }: LocalDelivery,
  { secret, sentAt, version }: Signing,
): Promise<Readonly<Record<string, string>>> {
  const sentAtSeconds = Math.floor(sentAt / 1000);
  return {
    "Content-Type": "application/json",
    "X-Service-Event": "submission.created",
    "X-Service-Signature": await signService(secret, body),
    "X-Service-Timestamp": String(occurredAt),
    "X-Service-Delivery-Id": id,
    "webhook-id": id,
    "webhook-timestamp": String(sentAtSeconds),
    "webhook-signature": await signStandard(secret, id, sentAtSeconds, body),
    "User-Agent": `Sealpost/${version}`,
    "Accept-Encoding": "identity",
  };
}
