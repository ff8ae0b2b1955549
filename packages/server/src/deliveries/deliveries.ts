import type { Network } from "../config/config-values.ts";
import type { Database } from "../database/database.ts";
import { createReport } from "../database/failed-rows.ts";
import { kindOf } from "../database/kind.ts";
import type { WriterThread } from "../database/writer-thread.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { version } from "../instance/version.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import { createWebhookClient } from "../webhooks/webhook-client.ts";
import { createCheckWebhookUrl, createFindTarget, type Resolve } from "../webhooks/webhook-target.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { createDeliveryLogStore, type DeliveryLogStore } from "./delivery-log-store.ts";
import { createDeliveryRetention, type DeliveryRetention } from "./delivery-retention.ts";
import { createDeliveryRetentionStore } from "./delivery-retention-store.ts";
import { createDeliveryStore } from "./delivery-store.ts";
import { settleInThread } from "./delivery-thread.ts";
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type SendNow,
  type WorkerLog,
  type WorkerSignal,
} from "./delivery-worker.ts";
import { type ForbiddenLog, warnOfForbidden } from "./forbidden-addresses.ts";

/** How deliveries reach the outside, where it is not the default. */
export interface DeliveriesOptions {
  readonly resolve?: Resolve;
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string;
  /** Notified of what the worker does, while it does it. */
  readonly observe?: (signal: WorkerSignal) => void;
}

export interface DeliveriesDependencies extends DeliveriesOptions {
  readonly database: Database;
  /** Writes while this thread sends; only for SQLite, which makes its caller wait for the disk. */
  readonly writer?: WriterThread | undefined;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  /** The time in signatures, which receivers compare with their own. */
  readonly timeOfDay: Clock;
  readonly allowNetworks: readonly Network[];
  /** How long a delivery stays in the log after its end. */
  readonly logDays: number;
  /** Whether what is too old may be deleted: not by a clock that is not trusted, nor in the days after a restore. */
  readonly mayDeleteOld: (now: number) => Promise<boolean>;
}

/** Everything that turns committed events into requests to webhook URLs, put together from its parts. */
export interface Deliveries {
  readonly checkWebhookUrl: CheckWebhookUrl;
  readonly log: DeliveryLogStore;
  readonly sendNow: SendNow;
  /** Says that a commit may have made deliveries due. */
  wake(): void;
  start(log: WorkerLog & ForbiddenLog): Promise<void>;
  /** Lets requests in flight end, for 35 s at most, and gives the rest back. */
  stop(): Promise<void>;
}

export function createDeliveries(dependencies: DeliveriesDependencies): Deliveries {
  const { database, writer, secretBox, clock, timeOfDay, allowNetworks, logDays, mayDeleteOld, resolve, ca, observe } =
    dependencies;
  const findTarget = createFindTarget(allowNetworks, resolve);
  const direct = createDeliveryStore(database, secretBox);
  const store = writer === undefined ? direct : settleInThread(direct, database, writer);
  let worker: DeliveryWorker | undefined;
  let retention: DeliveryRetention | undefined;
  let warning: Promise<void> | undefined;
  const stopping = new AbortController();
  return {
    checkWebhookUrl: createCheckWebhookUrl(findTarget),
    log: createDeliveryLogStore(database),
    async sendNow(...test) {
      if (worker === undefined) throw new Error("Deliveries are not started");
      return worker.sendNow(...test);
    },
    wake: () => worker?.wake(),
    async start(log) {
      // SQLite serves one process, so the process of a claim is gone. On PostgreSQL it may be alive: the lease tells.
      if (kindOf(database) === "sqlite") await store.releaseAll(clock.now());
      const client = createWebhookClient({ findTarget, ...(ca !== undefined && { ca }) });
      worker = createDeliveryWorker({
        ...{ store, client, clock, timeOfDay, random: Math.random, version, log, maySign: secretBox.isOpen },
        ...(observe !== undefined && { observe }),
      });
      worker.start();
      warning = warnOfForbidden(database, findTarget, log, stopping.signal);
      retention = createDeliveryRetention({
        store: createDeliveryRetentionStore(database),
        retentionMilliseconds: logDays * dayMilliseconds,
        mayDeleteOld,
        clock,
        report: createReport(log, "old deliveries could not be removed"),
      });
      retention.start();
    },
    async stop() {
      stopping.abort();
      await warning;
      await retention?.stop();
      await worker?.stop();
    },
  };
}
