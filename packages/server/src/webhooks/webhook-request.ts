import { createHmac } from "node:crypto";

export interface WebhookRequest {
  /** A POST where it is left out. */
  readonly method?: "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Asks for the page that a receiver answered with: nothing of the event, and no signature, goes there. */
export function createPageRequest(url: string, version: string): WebhookRequest {
  const headers = { "User-Agent": `Sealpost/${version}`, "Accept-Encoding": "identity" };
  return { method: "GET", url, headers, body: new Uint8Array() };
}

/** The contents of one request: the delivery, fixed when its event happened, and how this one is sent. */
export interface RequestContent {
  readonly deliveryId: string;
  /** Contract, section 9.1. */
  readonly kind: string;
  /** The event's time in milliseconds, as in the body. */
  readonly occurredAt: number;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly url: string;
  /** The values of the valid secrets: the one that this request is signed with, then those that are tried after it. */
  readonly secrets: readonly string[];
  /** The time of this attempt in milliseconds. */
  readonly sentAt: number;
  /** The service's version. */
  readonly version: string;
}

/**
 * The headers of the contract, section 9.3, and of Standard Webhooks around the body's exact bytes. `X-Service-Signature` always
 * holds exactly one value, since receivers compare it as text; the next valid secret signs in `…-Alternate`.
 */
export function createWebhookRequest(content: RequestContent): WebhookRequest {
  const { deliveryId, kind, occurredAt, body, url, secrets, sentAt, version } = content;
  const sentAtSeconds = Math.floor(sentAt / 1000);
  const service = secrets.slice(0, 2).map((secret) => signService(secret, body));
  const standard = secrets.map((secret) => signStandard(secret, deliveryId, sentAtSeconds, body));
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

/**
 * The two signatures of `@sealpost/wire`, whose tests' values these are held to, by Node's own HMAC: WebCrypto hands each
 * to another thread, and that costs seven times as much as signing a body of two kilobytes here (75 against 10 µs).
 */
function signService(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function signStandard(secret: string, id: string, sentAtSeconds: number, body: Uint8Array): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${sentAtSeconds}.`).update(body).digest("base64")}`;
}
