import type { Clock } from "../clock.ts";
import type { Network } from "../config.ts";
import type { Database } from "../database/database.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import { createCheckWebhookUrl, createFindTarget, type Resolve } from "../webhooks/webhook-target.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { type RecordEvents, recordEvents } from "./record-events.ts";

/** How deliveries reach the outside, where it is not the default. */
export interface DeliveriesOptions {
  readonly resolve?: Resolve;
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string;
}

export interface DeliveriesDependencies extends DeliveriesOptions {
  readonly database: Database;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly allowNetworks: readonly Network[];
}

/** Everything that turns committed events into requests to webhook URLs, put together from its parts. */
export interface Deliveries {
  readonly recordEvents: RecordEvents;
  readonly checkWebhookUrl: CheckWebhookUrl;
  /** Says that a commit may have made deliveries due. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createDeliveries({ allowNetworks, resolve }: DeliveriesDependencies): Deliveries {
  const findTarget = createFindTarget(allowNetworks, resolve);
  return {
    recordEvents,
    checkWebhookUrl: createCheckWebhookUrl(findTarget),
    // The worker is not here yet: what is recorded waits in the queue.
    wake: () => {},
    start: () => {},
    stop: async () => {},
  };
}
