import type { FailureReason } from "./delivery.ts";

/**
 * Every sentence that a delivery log can show, by the code that is stored. None holds an address or anything of what the
 * receiver answered, and refused, reset and unreachable read alike, until a receiver has shown its certificate: the log must not be usable as a port scanner.
 */
export const deliveryErrors = {
  status: "The receiver answered with an error status",
  timed_out: "No complete answer within 30 seconds",
  name_not_resolved: "The host name could not be resolved",
  could_not_connect: "Could not connect",
  connection_closed: "The connection was closed before an answer came",
  tls_failed: "The TLS connection was not accepted",
  malformed_answer: "The answer was malformed, incomplete or its headers too large",
  redirected: "The receiver answered with a redirect",
  answers_by_redirect:
    "The receiver answered with a redirect to a page that takes no POST. If that is how it says that all is well, as Google Apps Script does, set webhookRedirects to get",
  redirect_unusable: "The redirect has no usable HTTPS address",
  address_not_allowed: "Address is not allowed",
  interrupted: "Interrupted, sent again",
  interrupted_too_often: "Interrupted too often, given up",
  test_interrupted: "Interrupted: no answer after 5 seconds while others waited to test, or the service was stopped",
  url_removed: "Webhook URL was removed",
} as const satisfies Record<string, string>;

export type DeliveryError = keyof typeof deliveryErrors;

/** Why a request was made again within the same attempt. */
export const repeatReasons = ["connection_closed", "secret_refused", "interrupted"] as const;
export type RepeatReason = (typeof repeatReasons)[number];

/** The code of a failure that no request explains: the delivery ended without one. */
export const errorOfReason = {
  url_removed: "url_removed",
  interrupted_too_often: "interrupted_too_often",
  interrupted: "test_interrupted",
} as const satisfies Partial<Record<FailureReason, DeliveryError>>;

/** The stored text as a code; a code of a newer version than this one reads as `malformed_answer`. */
export function parseDeliveryError(text: string): DeliveryError {
  return Object.hasOwn(deliveryErrors, text) ? (text as DeliveryError) : "malformed_answer"; // an own key of the table
}

/** The sentence that the log shows. */
export function describeError(error: DeliveryError, statusCode: number | undefined): string {
  return error === "status" && statusCode !== undefined
    ? `${deliveryErrors.status} (${statusCode})`
    : deliveryErrors[error];
}
