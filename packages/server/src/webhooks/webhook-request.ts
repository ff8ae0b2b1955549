import { signService, signStandard } from "@sealpost/wire";
import type { WebhookRequest } from "./webhook-client.ts";

/** What one request carries: the delivery, fixed when its event happened, and how this one is sent. */
export interface RequestContent {
  readonly deliveryId: string;
  /** interface.md 6.1. */
  readonly kind: string;
  /** The event's time in milliseconds, as in the body. */
  readonly occurredAt: number;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly url: string;
  /** The values of the secrets that are valid now, the one to begin with first. */
  readonly secrets: readonly [string, string?];
  /** The time of this attempt in milliseconds. */
  readonly sentAt: number;
  /** Of the service. */
  readonly version: string;
}

/**
 * The headers of interface.md 6.3 and of Standard Webhooks around the body's exact bytes. `X-Service-Signature` always
 * holds exactly one value, since receivers compare it as text; the other valid secret signs in `…-Alternate`.
 */
export async function createWebhookRequest(content: RequestContent): Promise<WebhookRequest> {
  const { deliveryId, kind, occurredAt, body, url, secrets, sentAt, version } = content;
  const [first, other] = secrets;
  const valid = other === undefined ? [first] : [first, other];
  const sentAtSeconds = Math.floor(sentAt / 1000);
  const [service, standard] = await Promise.all([
    Promise.all(valid.map((secret) => signService(secret, body))),
    Promise.all(valid.map((secret) => signStandard(secret, deliveryId, sentAtSeconds, body))),
  ]);
  const [signature = "", alternate] = service;
  return {
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "X-Service-Event": kind,
      "X-Service-Signature": signature,
      ...(alternate !== undefined && { "X-Service-Signature-Alternate": alternate }),
      "X-Service-Timestamp": String(occurredAt),
      "X-Service-Delivery-Id": deliveryId,
      "webhook-id": deliveryId,
      "webhook-timestamp": String(sentAtSeconds),
      "webhook-signature": standard.join(" "),
      "User-Agent": `Sealpost/${version}`,
      // Nothing of the answer is read but its status, so nothing is worth unpacking.
      "Accept-Encoding": "identity",
    },
  };
}
