import type { CallOptions, Calls } from "./call.ts";

export function createWebhooksClient({ call }: Calls) {
  return {
    /** The current secret, and during a rotation until when the previous one stays valid. */
    secret: (formId: string, options?: CallOptions) =>
      call("GET /api/forms/{form_id}/webhook-secret", { path: { form_id: formId } }, options),
  };
}
