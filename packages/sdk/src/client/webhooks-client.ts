import type { Body, CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";

const logging = "GET /api/forms/{form_id}/webhook/logs";
const testing = "POST /api/forms/{form_id}/webhook/test";
const rotating = "POST /api/forms/{form_id}/webhook-secret/rotate";
const logged = "GET /api/forms/{form_id}/webhook/logs/{delivery_id}";
const resending = "POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend";

const testTimeoutMilliseconds = 60_000;

export function createWebhooksClient({ call }: Calls) {
  /** One page of deliveries, newest first. */
  const logs = (formId: string, query: Query<typeof logging> = {}, options?: CallOptions) =>
    call(logging, { path: { form_id: formId }, query }, options);
  return {
    /** The current secret, and during a rotation until when the previous one stays valid. */
    secret: (formId: string, options?: CallOptions) =>
      call("GET /api/forms/{form_id}/webhook-secret", { path: { form_id: formId } }, options),
    /** A new secret. The previous one stays valid for 24 hours unless `revokePrevious` ends it at once. */
    rotateSecret: (formId: string, body: Body<typeof rotating> = {}, options?: CallOptions) =>
      call(rotating, { path: { form_id: formId }, body }, options),
    /** Sends a test event now and tells how it went. The server gives the receiver 30 seconds, so this takes longer than others. */
    test: async (formId: string, options?: CallOptions) => {
      const patient = { timeoutMilliseconds: testTimeoutMilliseconds, ...options };
      return (await call(testing, { path: { form_id: formId } }, patient)).delivery;
    },
    logs,
    /** All logged deliveries, newest first, fetched while they are consumed. */
    allLogs: (formId: string, filter: Pick<Query<typeof logging>, "status"> = {}, options?: CallOptions) =>
      eachOf(
        (query) => logs(formId, { ...filter, ...query }, options),
        (page) => page.logs,
      ),
    /** One delivery with its attempts and the body that was sent. */
    log: async (formId: string, deliveryId: string, options?: CallOptions) =>
      (await call(logged, { path: { form_id: formId, delivery_id: deliveryId } }, options)).log,
    /** Sends the same body again, as a new delivery whose id is given. */
    resend: async (formId: string, deliveryId: string, options?: CallOptions) =>
      (await call(resending, { path: { form_id: formId, delivery_id: deliveryId } }, options)).delivery,
  };
}
