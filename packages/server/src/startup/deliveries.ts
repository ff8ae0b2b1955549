import { findWorkers } from "../database/workers.ts";
import { createDeliveries, type DeliveriesOptions } from "../deliveries/deliveries.ts";
import { readBacklog } from "../metrics/backlog-store.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { findStorage } from "../quotas/storage-store.ts";
import { findClockWait } from "../retention/clock-guard-store.ts";
import type { Ground } from "./ground.ts";

/** The parts that carry events to webhooks, and the counters. */
export function openDeliveries(ground: Ground, options: DeliveriesOptions) {
  const { config, database, writer, secretBox, clock, timeOfDay, mayDeleteOld, notifications } = ground;
  const metrics = createMetricsIfAsked(ground);
  const deliveries = createDeliveries({
    ...{ database, writer, secretBox, clock, timeOfDay, mayDeleteOld },
    allowNetworks: config.webhookAllowNetworks,
    logDays: config.deliveryLogDays,
    ...options,
    observe(signal) {
      options.observe?.(signal);
      metrics?.observeDelivery(signal);
    },
  });
  const wakeDeliveries = () => {
    deliveries.wake();
    notifications?.announce();
  };
  return { metrics, deliveries, wakeDeliveries };
}

export type OpenDeliveries = ReturnType<typeof openDeliveries>;

function createMetricsIfAsked({ config, database, clock, countDropped }: Ground): Metrics | undefined {
  if (config.metricsToken === undefined) return undefined;
  return createMetrics({
    findBacklog: () => readBacklog(database, clock.now()),
    findStorage: () => findStorage(config, database),
    findClockWait: () => findClockWait(database),
    countWorkersAway: () => findWorkers(database)?.listAway().length ?? 0,
    countDropped,
    now: clock.now,
  });
}
