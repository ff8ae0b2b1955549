/** Shared by the two benchmarks of deliveries: receivers, and the real worker on a real database. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createId, type DeliveryId, type FormId, sealedVersion } from "@sealpost/wire";
import type { DatabaseTransaction } from "../packages/server/src/database/database.ts";
import { executePipeline } from "../packages/server/src/database/pipeline.ts";
import type { ClaimedDelivery } from "../packages/server/src/deliveries/claim.ts";
import { createDeliveryBench, type DeliveryBench } from "../packages/server/src/deliveries/testing/delivery-bench.ts";
import { createSingleRing } from "../packages/server/src/instance/key-ring.ts";
import { fromRow } from "../packages/server/src/outbox/event.ts";
import { encodeBody, toEventSubmission } from "../packages/server/src/outbox/event-body.ts";
import { recordEvents } from "../packages/server/src/outbox/record-events.ts";
import { createSqliteWriter } from "../packages/server/src/startup/ground.ts";
import type { Submission } from "../packages/server/src/submissions/submission.ts";
import { createSubmissionStore } from "../packages/server/src/submissions/submission-store.ts";
import { startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { createClusterDatabase } from "./cluster.ts";
import type { ProcessStart } from "./delivery-process.ts";
import type { Receivers } from "./receivers.ts";

export type Delivered = Pick<ClaimedDelivery, "id" | "formId">;

export interface DeliverySetup {
  readonly bench: DeliveryBench;
  readonly receivers: Receivers;
  /** Notified of each delivery once its 2xx is stored. */
  onDelivered: (delivery: Delivered) => void;
  createForms(urls: readonly string[]): Promise<readonly FormId[]>;
  /** More processes that deliver from the same PostgreSQL; each delivery of theirs calls `onOthers`. */
  startProcesses(count: number, onOthers: (delivered: number) => void): Promise<Processes>;
  close(): Promise<void>;
}

export interface Processes {
  wake(): void;
  stop(): Promise<void>;
}

/** A sealed submission of about half a kilobyte. */
function createSubmission(formId: FormId, now: number): Submission {
  const bytes = (length: number) => new Uint8Array(length).fill(length);
  const payload = { version: sealedVersion, data: bytes(1041), key: bytes(384), iv: bytes(12) } as const;
  return { formId, id: createId("submission", now), keyVersion: 1, payload, timestamp: now, receivedAt: now };
}

/** The body of the event of such a submission. */
export function createBody(formId: FormId): Uint8Array<ArrayBuffer> {
  const submission = toEventSubmission(createSubmission(formId, Date.now()));
  const occurredAt = submission.receivedAt ?? 0;
  return encodeBody({ kind: "submission.created", formId, formName: "Contact", occurredAt, content: { submission } });
}

/**
 * Stores submissions of a form with their events, as ingest does, and gives the ids of their deliveries. One came each
 * millisecond: were it one moment, their random ids would be in no order, and each written to another page.
 */
export async function recordSubmissions(
  { database }: DeliveryBench,
  formId: FormId,
  count: number,
  transaction: DatabaseTransaction,
): Promise<readonly DeliveryId[]> {
  const now = Date.now();
  const submissions = Array.from({ length: count }, (_value, index) => createSubmission(formId, now - count + index));
  const { counts } = await createSubmissionStore(database).insertNew(transaction, submissions);
  await executePipeline(transaction, counts);
  return recordEvents(
    transaction,
    submissions.map(({ id: submissionId, receivedAt }) => ({
      ...{ kind: "submission.created", formId, formName: "Contact", submissionId },
      ...{ occurredAt: receivedAt, content: fromRow },
    })),
  );
}

export interface DeliverySetupOptions {
  readonly databaseName?: "SQLite" | "PostgreSQL";
  /** On SQLite, with the transactions on the thread that sends. */
  readonly isDirect?: boolean;
  /** The URL of a Citus coordinator, for a database of its own on that cluster. */
  readonly clusterUrl?: string | undefined;
}

export async function createDeliverySetup(
  parameters: readonly string[],
  { databaseName = "SQLite", isDirect = false, clusterUrl }: DeliverySetupOptions = {},
): Promise<DeliverySetup> {
  const closers: (() => unknown)[] = [];
  const server = await openServer(databaseName, clusterUrl);
  closers.push(() => server?.remove());
  const child = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", join(import.meta.dirname, "receivers.ts"), ...parameters],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  closers.push(() => child.kill());
  // On the disk, for which a commit waits.
  const folder = mkdtempSync(join(tmpdir(), "sealpost-bench-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const receivers: Receivers = JSON.parse(line); // printed by receivers.ts
  const setup = { onDelivered: (_delivery: Delivered) => {} };
  const bench = await createDeliveryBench({ after: (close: () => unknown) => void closers.push(close) } as never, {
    authority: { ca: receivers.ca } as never, // all of it that is used
    clock: { now: Date.now, advance: () => {}, jump: () => {}, steady: { now: () => performance.now() } },
    databaseUrl: server?.url,
    folder,
    createWriter:
      server === undefined && !isDirect
        ? (dataFolder, secret) => createSqliteWriter({ dataFolder }, createSingleRing(secret))
        : undefined,
    deadlineMilliseconds: 30_000,
    observe: (signal) => {
      if (signal.kind !== "request_ended") return;
      const { before, after, claimed } = signal.completion;
      if (after.state === "delivered") setup.onDelivered(claimed);
      // Thrown where the worker does not take it for an error of the database.
      else if (!receivers.hangingUrls.includes(before.url)) {
        queueMicrotask(() => {
          throw new Error(`A delivery became ${after.state}`);
        });
      }
    },
  });
  bench.worker.start();
  return Object.assign(setup, {
    bench,
    receivers,
    createForms: async (urls: readonly string[]) => {
      const forms: FormId[] = [];
      for (const url of urls) forms.push((await bench.createWebhook(url)).formId);
      return forms;
    },
    startProcesses: async (count: number, onOthers: (delivered: number) => void) => {
      if (count > 0 && server === undefined) throw new Error("Only PostgreSQL has several processes");
      const start = { databaseUrl: server?.url ?? "", ca: receivers.ca };
      const children = await Promise.all(
        Array.from({ length: count }, (_value, index) =>
          startProcess({ ...start, folder: mkdtempSync(join(folder, `process-${index}-`)) }, onOthers),
        ),
      );
      return {
        wake: () => {
          for (const process of children) process.send("wake");
        },
        stop: async () => {
          const ended = children.map((process) => once(process, "exit"));
          for (const process of children) process.disconnect();
          await Promise.all(ended);
        },
      };
    },
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  });
}

/** Where the database is; `undefined` for SQLite. */
function openServer(
  databaseName: DeliverySetupOptions["databaseName"],
  clusterUrl: string | undefined,
): Promise<{ readonly url: string; remove(): Promise<void> }> | undefined {
  if (clusterUrl !== undefined) return createClusterDatabase(clusterUrl, "deliveries");
  return databaseName === "PostgreSQL" ? startPostgresServer({ durable: true }) : undefined;
}

async function startProcess(start: ProcessStart, onDelivered: (count: number) => void): Promise<ChildProcess> {
  const process = fork(join(import.meta.dirname, "delivery-process.ts"), {
    execArgv: ["--conditions=@sealpost/source"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.once("exit", (code) => reject(new Error(`A process that delivers ended with ${code}`)));
  process.on("message", (message) => (typeof message === "number" ? onDelivered(message) : resolve()));
  process.send(start);
  await promise;
  return process;
}

/**
 * Commits one event after the other on a schedule, whatever becomes of those before; gives the milliseconds from each
 * commit to its stored 2xx.
 */
export async function sendAtRate(
  setup: DeliverySetup,
  forms: readonly FormId[],
  rate: number,
  seconds: number,
): Promise<readonly number[]> {
  const { bench } = setup;
  const total = rate * seconds;
  const latencies: number[] = [];
  const [committed, answered] = [new Map<DeliveryId, number>(), new Map<DeliveryId, number>()];
  const finished = Promise.withResolvers<void>();
  /** Called when either is known: an answer may be stored before the transaction's own promise says that it committed. */
  const meet = (id: DeliveryId) => {
    const [from, to] = [committed.get(id), answered.get(id)];
    if (from === undefined || to === undefined) return;
    latencies.push(Math.max(0, to - from));
    if (latencies.length === total) finished.resolve();
  };
  setup.onDelivered = ({ id }) => {
    answered.set(id, performance.now());
    meet(id);
  };
  const started = performance.now();
  for (let index = 0; index < total; index++) {
    const wait = started + (index * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const formId = forms[index % forms.length];
    if (formId === undefined) throw new Error("No forms");
    commitOne(bench, formId).then((id) => {
      committed.set(id, performance.now());
      meet(id);
    }, finished.reject);
  }
  await finished.promise;
  return latencies;
}

async function commitOne(bench: DeliveryBench, formId: FormId): Promise<DeliveryId> {
  const [id] = await bench.database
    .transaction()
    .execute((transaction) => recordSubmissions(bench, formId, 1, transaction));
  if (id === undefined) throw new Error("The form has no webhook URL");
  bench.worker.wake();
  return id;
}

/** The value that this share of them does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
