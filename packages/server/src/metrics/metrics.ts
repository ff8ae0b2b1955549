import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Completion } from "../deliveries/claim.ts";
import type { WorkerSignal } from "../deliveries/delivery-worker.ts";
import { fullCodes, isFullCode } from "../problems/waiting-codes.ts";
import type { Storage } from "../quotas/storage-store.ts";
import type { Ingest } from "../submissions/ingest.ts";
import type { Backlog } from "./backlog-store.ts";

/** The measurements of one process (docs/operation.md has the table). Numbers alone: no content, no address, no form. */
export interface Metrics {
  readonly registry: Registry;
  /** The same function, watched: how long it takes until a submission is durable, and what came of it. */
  watchIngest(ingest: Ingest): Ingest;
  /** How many submissions shared a commit. */
  readonly observeBatch: (size: number) => void;
  readonly observeDelivery: (signal: WorkerSignal) => void;
  /** Counts the submissions that were refused. */
  watchRequests(app: FastifyInstance): void;
}

export interface MetricsDependencies {
  readonly findBacklog: () => Promise<Backlog>;
  readonly findStorage: () => Promise<Storage | undefined>;
  /** For how many milliseconds nothing is deleted for its age, since the clock is not trusted. */
  readonly findClockWait: () => Promise<number>;
  /** Lines of the log that could not be written. */
  readonly countDropped: () => number;
  /** The workers of a cluster that do not answer. */
  readonly countWorkersAway: () => number;
  readonly now: () => number;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Refused submissions by the status that their senders saw. */
const refusals: Readonly<Record<number, string>> = {
  400: "invalid",
  403: "origin_not_allowed",
  404: "form_not_found",
  408: "too_slow",
  409: "conflict",
  413: "too_large",
  415: "wrong_media_type",
  429: "rate_limited",
  503: "unavailable",
};

export function createMetrics({
  findBacklog,
  findStorage,
  findClockWait,
  countDropped,
  countWorkersAway,
  now,
}: MetricsDependencies): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const submissions = new Counter({
    name: "sealpost_submissions_total",
    help: "Submissions that were posted, by what came of them",
    labelNames: ["outcome"] as const,
    registers,
  });
  for (const outcome of ["accepted", "repeated", "failed", ...Object.values(refusals), ...fullCodes])
    submissions.inc({ outcome }, 0);
  const ingestSeconds = new Histogram({
    name: "sealpost_ingest_seconds",
    help: "From a checked submission to its being durable",
    buckets: seconds,
    registers,
  });
  const batchSize = new Histogram({
    name: "sealpost_ingest_batch_size",
    help: "Submissions that shared a commit",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const webhookRequests = new Counter({
    name: "sealpost_webhook_requests_total",
    help: "Requests to webhook URLs, by how they ended",
    labelNames: ["outcome"] as const,
    registers,
  });
  const webhookSeconds = new Histogram({
    name: "sealpost_webhook_request_seconds",
    help: "Duration of requests to webhook URLs",
    buckets: [...seconds, 10, 30],
    registers,
  });
  const deliveries = new Counter({
    name: "sealpost_deliveries_total",
    help: "Deliveries that ended, by how",
    labelNames: ["outcome"] as const,
    registers,
  });
  for (const outcome of ["delivered", "exhausted", "refused"]) deliveries.inc({ outcome }, 0);
  // The numbers of one look at the queues.
  let looking: Promise<Backlog> | undefined;
  const look = async () => {
    looking ??= findBacklog();
    try {
      return await looking;
    } finally {
      looking = undefined;
    }
  };
  // Each process sees the same queue, so the processes of one instance are not added up.
  const aggregator = "max";
  new Gauge({
    name: "sealpost_deliveries_due",
    help: "Deliveries that are due and wait to be sent; counted up to 100000",
    aggregator,
    registers,
    async collect() {
      this.set((await look()).due);
    },
  });
  new Gauge({
    name: "sealpost_deliveries_oldest_due_seconds",
    help: "For how long the delivery that waits the longest has been due; 0 when none is",
    aggregator,
    registers,
    async collect() {
      this.set(secondsSince((await look()).oldestDueAt, now()));
    },
  });
  new Gauge({
    name: "sealpost_mails_waiting",
    help: "Emails that are neither sent nor given up; counted up to 100000",
    aggregator,
    registers,
    async collect() {
      this.set((await look()).emails);
    },
  });
  new Gauge({
    name: "sealpost_mails_oldest_seconds",
    help: "For how long the mail that waits the longest has waited; 0 when none does",
    aggregator,
    registers,
    async collect() {
      this.set(secondsSince((await look()).oldestMailAt, now()));
    },
  });
  new Gauge({
    name: "sealpost_storage_left_bytes",
    help: "What may be stored before nothing new is accepted; +Inf where nothing bounds it",
    aggregator: "min",
    registers,
    async collect() {
      this.set((await findStorage())?.leftBytes ?? Number.POSITIVE_INFINITY);
    },
  });

  new Gauge({
    name: "sealpost_clock_wait_seconds",
    help: "For how long nothing is deleted for its age, since the clock jumped or was set back; 0 while it is trusted",
    aggregator,
    registers,
    async collect() {
      this.set((await findClockWait()) / 1000);
    },
  });

  new Gauge({
    name: "sealpost_cluster_workers_away",
    help: "Servers of a cluster that do not answer; 0 where there is no cluster",
    aggregator,
    registers,
    collect() {
      this.set(countWorkersAway());
    },
  });

  new Counter({
    name: "sealpost_log_lines_dropped_total",
    help: "Lines of the log that could not be written",
    registers,
    collect() {
      this.reset();
      this.inc(countDropped());
    },
  });

  return {
    registry,
    watchIngest: (ingest) => async (submission, form) => {
      const end = ingestSeconds.startTimer();
      const result = await ingest(submission, form);
      end();
      if (result.outcome === "created") submissions.inc({ outcome: "accepted" });
      return result;
    },
    observeBatch: (size) => batchSize.observe(size),
    observeDelivery(signal) {
      if (signal.kind === "delivery_ended") {
        const { delivery } = signal;
        deliveries.inc({ outcome: delivery.state === "delivered" ? "delivered" : delivery.reason });
      }
      if (signal.kind !== "request_ended") return;
      const { completion, stored } = signal;
      webhookRequests.inc({ outcome: nameResult(completion) });
      if (completion.result !== undefined) webhookSeconds.observe(completion.result.durationMilliseconds / 1000);
      const { after } = completion;
      if (stored.kind === "lost") return;
      if (after.state === "delivered") deliveries.inc({ outcome: "delivered" });
      if (after.state === "failed") deliveries.inc({ outcome: after.reason });
    },
    watchRequests(app) {
      app.addHook("onResponse", (request, reply, done) => {
        const { statusCode } = reply;
        if (request.routeOptions.config?.rate === "submissions") {
          const { problemReason } = request;
          // A filled honeypot is refused by a redirect.
          if (statusCode >= 400 || problemReason === "html_form_trapped")
            submissions.inc({ outcome: outcomeOf(problemReason, Math.max(statusCode, 400)) });
          // New submissions are answered with 201, or redirected.
          if (statusCode === 200) submissions.inc({ outcome: "repeated" });
        }
        done();
      });
    },
  };
}

function secondsSince(time: number | undefined, now: number): number {
  return time === undefined ? 0 : Math.max(0, now - time) / 1000;
}

/** `2xx` to `5xx`, or why nothing answered: a closed set of words either way. */
function nameResult({ result }: Completion): string {
  if (result === undefined) return "interrupted";
  if (result.statusCode !== undefined) return `${Math.floor(result.statusCode / 100)}xx`;
  return result.error ?? "unknown";
}

/** A code without room says more than its status. */
function outcomeOf(code: string | undefined, status: number): string {
  return isFullCode(code) ? code : (refusals[status] ?? "failed");
}
