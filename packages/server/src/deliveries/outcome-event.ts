import type { WebhookOutcome } from "../webhooks/webhook-outcome.ts";
import { resolveRedirect } from "../webhooks/webhook-url.ts";
import type { RequestResult } from "./claim.ts";
import type { DeliveryEvent, Instant, SendingDelivery } from "./delivery.ts";
import type { DeliveryError } from "./delivery-error.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** RFC 9110, section 15.5.6: what a page answers that is there to be asked for. */
const methodNotAllowed = 405;

interface Circumstances {
  /** Where the request went. */
  readonly url: string;
  readonly request: SendingDelivery["request"];
  readonly startedAt: Instant;
  readonly at: Instant;
  readonly jitter: number;
}

/** The event of a finished request for the delivery, and its log row. No result: nobody knows how it ended. */
export function toEvent(
  outcome: WebhookOutcome,
  { url, request, startedAt, at, jitter }: Circumstances,
): { readonly event: DeliveryEvent; readonly result: RequestResult | undefined } {
  // The clock may have been set back meanwhile.
  const durationMilliseconds = Math.max(0, at - startedAt);
  const result = (error: DeliveryError | undefined, statusCode?: number) => ({
    durationMilliseconds,
    statusCode,
    error,
  });
  switch (outcome.kind) {
    case "responded": {
      const { statusCode } = outcome;
      const isRedirect = statusCode >= 300 && statusCode < 400;
      const redirectTo = isRedirect ? resolveRedirect(url, outcome.location) : undefined;
      const retryAfterMilliseconds =
        outcome.retryAfter === undefined ? undefined : parseRetryAfter(outcome.retryAfter, at);
      const error =
        statusCode >= 200 && statusCode < 300
          ? undefined
          : !isRedirect
            ? request === "event_at_target" && statusCode === methodNotAllowed
              ? "answers_by_redirect"
              : "status"
            : redirectTo === undefined
              ? "redirect_unusable"
              : "redirected";
      return {
        event: { kind: "responded", at, statusCode, retryAfterMilliseconds, redirectTo, jitter },
        result: result(error, statusCode),
      };
    }
    case "unanswered":
      return { event: { kind: "unanswered", at, jitter }, result: result(outcome.error) };
    case "kept_connection_closed":
      return { event: { kind: "kept_connection_closed", at, jitter }, result: result("connection_closed") };
    case "address_forbidden":
      return { event: { kind: "address_forbidden", at, jitter }, result: result("address_not_allowed") };
    case "aborted":
      return { event: { kind: "interrupted", at }, result: undefined };
  }
  outcome satisfies never;
}
