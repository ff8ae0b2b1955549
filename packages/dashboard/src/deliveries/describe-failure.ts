import { findText, text } from "../texts/text.ts";

/** Why a delivery or an attempt failed, by its code. A newer service may have codes that this app does not know. */
export function describeFailure(errorCode: string | undefined, statusCode: number | undefined): string {
  const { deliveryErrors, webhooks } = text;
  if (errorCode === "status" && statusCode !== undefined) return `${deliveryErrors.status} (${statusCode})`;
  return findText(deliveryErrors, errorCode ?? "") ?? webhooks.unknownError;
}
