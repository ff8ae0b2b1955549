import { deliveryErrors } from "@sealpost/texts/api-sentences";
import type { FailureReason } from "./delivery.ts";

export { deliveryErrors };

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
