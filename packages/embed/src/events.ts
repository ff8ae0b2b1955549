import type { ErrorDetail, SubmitDetail, SuccessDetail } from "./options.ts";

/** The events on the form element. They bubble. Cancelling `sealpost:submit` stops the submission. */
export interface SealpostEvents {
  "sealpost:submit": CustomEvent<SubmitDetail>;
  "sealpost:success": CustomEvent<SuccessDetail>;
  "sealpost:error": CustomEvent<ErrorDetail>;
}

declare global {
  interface HTMLElementEventMap extends SealpostEvents {}
  interface DocumentEventMap extends SealpostEvents {}
}
