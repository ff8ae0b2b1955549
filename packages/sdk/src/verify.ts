import { verifyStandard } from "@sealpost/wire";
import { findHeader, type HeadersLike } from "./headers.ts";

/** The raw body as it came over the wire. A string is taken as the text that was decoded from UTF-8. */
export type RawBody = Uint8Array | ArrayBuffer | string;

export interface RawRequest {
  readonly headers: HeadersLike;
  readonly body: RawBody;
}

/** Why a request is not one that Sealpost sent to this receiver just now. `message` is for your log, not for the sender. */
export interface NotVerified {
  readonly verified: false;
  readonly reason:
    | "missing_header"
    | "invalid_signature"
    | "timestamp_out_of_tolerance"
    | "malformed_body"
    | "wrong_form";
  readonly message: string;
}

export interface Verified {
  readonly verified: true;
  /** The signed `webhook-id`. It stays the same over all attempts of a delivery: remember it to drop duplicates. */
  readonly deliveryId: string;
  /** The signed `webhook-timestamp`: when this attempt was sent, in milliseconds since the Unix epoch. */
  readonly sentAt: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Checks the signature of a request (Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`, `webhook-signature`) under
 * any of `secrets`, and that it was sent within five minutes of `now` (milliseconds since the Unix epoch). Says nothing about
 * what the body means: give it the secrets of one form, and compare the form that the event names, or use `createReceiver`.
 * Constant time in the signature; whatever a stranger sent is an answer, never an exception.
 *
 * `X-Service-Delivery-Id`, `X-Service-Event` and `X-Service-Timestamp` are not covered by any signature and so are not read.
 */
export async function verify(
  secrets: readonly string[],
  request: RawRequest,
  now: number = Date.now(),
): Promise<Verified | NotVerified> {
  const id = findHeader(request.headers, "webhook-id");
  const timestamp = findHeader(request.headers, "webhook-timestamp");
  const signature = findHeader(request.headers, "webhook-signature");
  if (!id || !timestamp || !signature) {
    const missing = Object.entries({
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    });
    const names = missing.filter(([, value]) => !value).map(([name]) => name);
    return notVerified("missing_header", `The request lacks ${names.join(" and ")}`);
  }
  const body = rawBytes(request.body);
  if (body === undefined) return notVerified("malformed_body", "The body must be the raw bytes, before any parser");
  const verification = await verifyStandard(secrets, { id, timestamp, signature }, body, now);
  switch (verification) {
    case "valid":
      return { verified: true, deliveryId: id, sentAt: Number(timestamp) * 1000, body };
    case "invalid_signature":
      return notVerified(verification, "No signature fits the body under any secret of this receiver");
    case "timestamp_out_of_tolerance":
      return notVerified(verification, "The request is signed, but was sent more than five minutes from now");
    default:
      return verification satisfies never;
  }
}

export function notVerified(reason: NotVerified["reason"], message: string): NotVerified {
  return { verified: false, reason, message };
}

/** `undefined` for what is no raw body: a parser before us has eaten it. A stranger's content type can cause that, so it is no exception. */
function rawBytes(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === "string") return new TextEncoder().encode(body);
  // Not `instanceof`, which fails between realms (a vm context, a test runner).
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]")
    return new Uint8Array(body as ArrayBuffer).slice();
  return undefined;
}
