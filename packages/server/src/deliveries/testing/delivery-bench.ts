import { join } from "node:path";
import type { TestContext } from "node:test";
import { type AccountId, createId, createWebhookSecret, type DeliveryId, type FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { type Database, type DatabaseTransaction, openDatabase } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import type { WriterThread } from "../../database/writer-thread.ts";
import { createSingleRing } from "../../instance/key-ring.ts";
import { createSecretBox } from "../../instance/secret-box.ts";
import type { NewEvent } from "../../outbox/event.ts";
import { recordEvents } from "../../outbox/record-events.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { createTemporaryFolder } from "../../testing/temporary-folder.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import type { Authority } from "../../webhooks/testing/receiver.ts";
import { createWebhookClient } from "../../webhooks/webhook-client.ts";
import { createWebhookStore, type WebhookStore } from "../../webhooks/webhook-store.ts";
import { createFindTarget, type Resolve } from "../../webhooks/webhook-target.ts";
import { createDeliveryStore, type DeliveryStore } from "../delivery-store.ts";
import { settleInThread } from "../delivery-thread.ts";
import { createDeliveryWorker, type DeliveryWorker, type WorkerSignal } from "../delivery-worker.ts";

export interface DeliveryBench {
  readonly database: Database;
  readonly store: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly clock: FakeClock;
  readonly worker: DeliveryWorker;
  /** Everything that the worker has said so far. */
  readonly signals: readonly WorkerSignal[];
  /** The worker's log; empty at the end of a good test. */
  readonly errors: readonly object[];
  /** A form with a webhook URL and its secret, of the one organization or another. */
  createWebhook(
    url: string | null,
    organizationId?: AccountId,
    transaction?: DatabaseTransaction,
  ): Promise<{ readonly formId: FormId; readonly secret: string }>;
  /** Records an event and wakes the worker, as a route does. */
  record(formId: FormId, more?: Partial<NewEvent>): Promise<DeliveryId>;
  recordMany(
    formId: FormId,
    count: number,
    transaction?: DatabaseTransaction,
    more?: Partial<NewEvent>,
  ): Promise<readonly DeliveryId[]>;
  /** Resolves when the worker says what `isAwaited` waits for, from now on. */
  signal(isAwaited: (signal: WorkerSignal) => boolean): Promise<WorkerSignal>;
  /** Resolves with what the worker logs next. */
  nextError(): Promise<object>;
  /** Wakes the worker, and resolves once it has nothing due, in flight or to be stored. */
  settle(): Promise<void>;
  delivery(id: string): Promise<DeliveryRow>;
  attempts(id: string): Promise<readonly AttemptRow[]>;
  queue(): Promise<readonly QueuedRow[]>;
}

type DeliveryRow = Awaited<ReturnType<typeof findDelivery>>;
type AttemptRow = Awaited<ReturnType<typeof findAttempts>>[number];
type QueuedRow = Awaited<ReturnType<typeof findQueue>>[number];

export interface DeliveryBenchOptions {
  readonly authority: Authority;
  readonly resolve?: Resolve;
  readonly clock?: FakeClock;
  readonly random?: () => number;
  readonly deadlineMilliseconds?: number;
  readonly graceMilliseconds?: number;
  /** A database to use instead of the one under test. */
  readonly databaseUrl?: string | undefined;
  /** A thread that settles and claims. */
  readonly createWriter?: ((dataFolder: string, secret: Uint8Array) => WriterThread) | undefined;
  /** The worker's store, made from the real one. */
  readonly wrapStore?: (store: DeliveryStore) => DeliveryStore;
  /** For the data, instead of a folder that is in memory where there is room. */
  readonly folder?: string | undefined;
  /** Notified of everything instead of `signals`, which would hold the bodies of all that was sent. */
  readonly observe?: (signal: WorkerSignal) => void;
}

const unasked: Resolve = async (name) => {
  throw new Error(`nobody should ask for ${name}`);
};
/** Longer than a test may take: where an answer never comes, its request stays in flight. */
const unreachedMilliseconds = 600_000;
export const benchAccountId = createId("account", 0);
const benchSecret = new Uint8Array(32).fill(7);
export const benchSecretBox = createSecretBox(createSingleRing(benchSecret));
export const loopbackNetworks = [
  { address: "127.0.0.0", bits: 8 },
  { address: "::1", bits: 128 },
];

/** A worker on a real database and the real network of this machine, with a clock of its own. Not started yet. */
export async function createDeliveryBench(t: TestContext, options: DeliveryBenchOptions): Promise<DeliveryBench> {
  const { authority, resolve = unasked, clock = createFakeClock(), random = () => 0, ...limits } = options;
  // Ended in reverse: nothing may be taken away from under a worker that is still running.
  const closers: (() => unknown)[] = [];
  const later = { after: (close: () => unknown) => void closers.push(close) };
  t.after(async () => {
    for (const close of closers.reverse()) await close();
  });
  const folder = options.folder ?? createTemporaryFolder(later);
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase(later, folder)).SEALPOST_DATABASE_URL;
  const database = openDatabase({ databaseUrl, dataFolder: join(folder, "data") });
  later.after(() => database.destroy());
  await migrate(database);
  await createOrganization(database, benchAccountId);
  const webhooks = createWebhookStore(database, benchSecretBox);
  const direct = createDeliveryStore(database, benchSecretBox);
  const writer = options.createWriter?.(join(folder, "data"), benchSecret);
  later.after(() => writer?.stop());
  const store = writer === undefined ? direct : settleInThread(direct, database, writer);
  const client = createWebhookClient({ findTarget: createFindTarget(loopbackNetworks, resolve), ca: authority.ca });
  const signals: WorkerSignal[] = [];
  const errors: object[] = [];
  let onError = (_error: object) => {};
  const listeners = new Set<(signal: WorkerSignal) => void>();
  const worker = createDeliveryWorker({
    store: options.wrapStore?.(store) ?? store,
    maySign: () => true,
    client,
    clock,
    timeOfDay: clock,
    random,
    version: "0.0.0",
    log: {
      error: (details) => {
        errors.push(details);
        onError(details);
      },
    },
    observe: (said) => {
      if (options.observe === undefined) signals.push(said);
      else options.observe(said);
      for (const listener of listeners) listener(said);
    },
    deadlineMilliseconds: limits.deadlineMilliseconds ?? unreachedMilliseconds,
    graceMilliseconds: limits.graceMilliseconds ?? 0,
  });
  later.after(() => worker.stop());

  function signal(isAwaited: (signal: WorkerSignal) => boolean): Promise<WorkerSignal> {
    return new Promise((resolve) => {
      const listener = (said: WorkerSignal) => {
        if (!isAwaited(said)) return;
        listeners.delete(listener);
        resolve(said);
      };
      listeners.add(listener);
    });
  }
  async function recordMany(
    formId: FormId,
    count: number,
    transaction?: DatabaseTransaction,
    more?: Partial<NewEvent>,
  ) {
    const events = Array.from({ length: count }, () => ({
      kind: "submission.deleted" as const,
      formId,
      formName: "Kontakt – Zoë",
      occurredAt: clock.now(),
      content: { submission: { id: createId("submission", clock.now()) } },
      ...more,
    }));
    const ids = await (transaction === undefined
      ? database.transaction().execute((own) => recordEvents(own, events))
      : recordEvents(transaction, events));
    worker.wake();
    return ids;
  }
  return {
    database,
    store,
    webhooks,
    clock,
    worker,
    signals,
    errors,
    async createWebhook(url, organizationId = benchAccountId, transaction) {
      const formId = createId("form", clock.now());
      const secret = createWebhookSecret();
      const create = async (own: DatabaseTransaction) => {
        await createOrganization(own, organizationId);
        await own
          .insertInto("form")
          .values(createFormRow(formId, organizationId, clock.now()))
          .execute();
        await webhooks.create(own, { id: formId, accountId: organizationId }, secret, { url, setBy: organizationId });
      };
      await (transaction === undefined ? database.transaction().execute(create) : create(transaction));
      return { formId, secret };
    },
    async record(formId, more) {
      const [id] = await recordMany(formId, 1, undefined, more);
      if (id === undefined) throw new Error("the form has no webhook URL");
      return id;
    },
    recordMany,
    signal,
    nextError: () =>
      new Promise((resolve) => {
        onError = resolve;
      }),
    async settle() {
      const settled = signal(({ kind }) => kind === "idle");
      worker.wake();
      await settled;
    },
    delivery: (id) => findDelivery(database, id),
    attempts: (id) => findAttempts(database, id),
    queue: () => findQueue(database),
  };
}

async function createOrganization(database: Database | DatabaseTransaction, id: AccountId): Promise<void> {
  await sql`insert into organization (id, name, plan, created_at, counts_for) values (${id}, 'Organization', 'free', 0, ${id})
    on conflict do nothing`.execute(database);
}

function createFormRow(id: FormId, organizationId: AccountId, now: number) {
  const flags = { encryption: 1, pii_strip: 0, allowed_origins: "[]", key_version: 1 };
  const times = { created_at: now, updated_at: now };
  return { id, account_id: organizationId, name: "Kontakt – Zoë", name_key: id, ...flags, ...times };
}

function findDelivery(database: Database, id: string) {
  return database.selectFrom("delivery").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

function findAttempts(database: Database, id: string) {
  return database.selectFrom("attempt").selectAll().where("delivery_id", "=", id).orderBy("id").execute();
}

function findQueue(database: Database) {
  return database.selectFrom("delivery_queue").selectAll().orderBy("due_at").execute();
}
