/** Shared by the two benchmarks of deliveries: receivers, and the real worker on a real database. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DeliveryId, FormId } from "@sealpost/wire";
import type { ClaimedDelivery } from "../packages/server/src/deliveries/claim.ts";
import { createDeliveryBench, type DeliveryBench } from "../packages/server/src/deliveries/testing/delivery-bench.ts";
import { startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import type { Receivers } from "./receivers.ts";

export type Delivered = Pick<ClaimedDelivery, "id" | "formId">;

export interface DeliverySetup {
  readonly bench: DeliveryBench;
  readonly receivers: Receivers;
  /** Notified of each delivery once its 2xx is stored. */
  onDelivered: (delivery: Delivered) => void;
  createForms(urls: readonly string[]): Promise<readonly FormId[]>;
  close(): Promise<void>;
}

/** About what a sealed submission of half a kilobyte makes of an event. */
const content = {
  submission: {
    id: "sub_01hk153x00e5rbcwg8rxcnh8w6",
    payload: { encrypted: true, version: "sp1", data: "A".repeat(1388), key: "A".repeat(512), iv: "AAAAAAAAAAAAAAAA" },
    keyVersion: 1,
    timestamp: 1_700_000_000_000,
    receivedAt: 1_700_000_000_000,
  },
};

export const event = { kind: "submission.created", formName: "Contact", content } as const;

export async function createDeliverySetup(
  parameters: readonly string[],
  databaseName: "SQLite" | "PostgreSQL" = "SQLite",
): Promise<DeliverySetup> {
  const closers: (() => unknown)[] = [];
  const server = databaseName === "PostgreSQL" ? await startPostgresServer({ durable: true }) : undefined;
  closers.push(() => server?.remove());
  const child = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", join(import.meta.dirname, "receivers.ts"), ...parameters],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  closers.push(() => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const receivers: Receivers = JSON.parse(line); // printed by receivers.ts
  const setup = { onDelivered: (_delivery: Delivered) => {} };
  const bench = await createDeliveryBench({ after: (close: () => unknown) => void closers.push(close) } as never, {
    authority: { ca: receivers.ca } as never, // all of it that is used
    clock: { now: Date.now, advance: () => {} },
    databaseUrl: server?.url,
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
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  });
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
    bench.record(formId, event).then((id) => {
      committed.set(id, performance.now());
      meet(id);
    }, finished.reject);
  }
  await finished.promise;
  return latencies;
}

/** The value that this share of them does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
