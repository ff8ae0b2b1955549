import { createDeliveryRoutes } from "../../deliveries/delivery-routes.ts";
import { createWebhookTestRoutes } from "../../deliveries/webhook-test-routes.ts";
import { createWebhookRoutes } from "../../webhooks/webhook-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Webhooks and their secrets, and the deliveries to them. */
export function openWebhooks(core: Core): Capability {
  const { deliveries, notifications, refusedVisitors } = core;
  const dependencies = {
    ...core,
    deliveryLogDays: core.config.deliveryLogDays,
    ...{ deliveryLog: deliveries.log, sendNow: deliveries.sendNow, checkWebhookUrl: deliveries.checkWebhookUrl },
  };
  return {
    routes: [
      createWebhookRoutes(dependencies),
      createWebhookTestRoutes(dependencies),
      createDeliveryRoutes(dependencies),
    ],
    worker: {
      async start(log) {
        await deliveries.start(log);
        notifications?.start(deliveries.wake, refusedVisitors.hear);
      },
      stop: deliveries.stop,
    },
  };
}
