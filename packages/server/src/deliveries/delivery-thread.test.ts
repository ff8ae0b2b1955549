import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { WriterThread } from "../database/writer-thread.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { findBodies } from "../outbox/event-body.ts";
import { createSqliteWriter } from "../startup/ground.ts";
import { onSqlite } from "../testing/test-database.ts";
import { type Authority, createAuthority, type Receiver, startReceiver } from "../webhooks/testing/receiver.ts";
import { createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

const hosts = 6;
const each = 25;

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

interface ThreadBench {
  readonly bench: DeliveryBench;
  readonly receivers: readonly Receiver[];
  /** Due at hosts that are many enough for the worker to leave its transactions to the thread. */
  record(): Promise<readonly string[]>;
  /** How often the thread was asked. */
  asked(): number;
}

async function start(t: TestContext, entry?: URL): Promise<ThreadBench> {
  let asked = 0;
  const bench = await createDeliveryBench(t, {
    authority,
    createWriter(dataFolder, secret): WriterThread {
      const thread = createSqliteWriter({ dataFolder }, createSingleRing(secret), entry);
      const ask: WriterThread["ask"] = (kind, pack) => {
        asked += 1;
        return thread.ask(kind, pack);
      };
      return { ...thread, ask };
    },
  });
  const receivers: Receiver[] = [];
  const forms: FormId[] = [];
  for (let host = 0; host < hosts; host++) {
    const receiver = await startReceiver(t, { certificate: authority.good });
    receivers.push(receiver);
    forms.push((await bench.createWebhook(receiver.url)).formId);
  }
  const record = () =>
    bench.database.transaction().execute(async (transaction) => {
      const ids: string[] = [];
      for (const formId of forms) ids.push(...(await bench.recordMany(formId, each, transaction)));
      return ids;
    });
  return { bench, receivers, record, asked: () => asked };
}

function idsOf(receivers: readonly Receiver[]): string[] {
  return receivers.flatMap(({ requests }) => requests.map(({ headers }) => String(headers["x-service-delivery-id"])));
}

test("deliveries that a thread settles and claims arrive once, with the bytes of their events", onSqlite, async (t) => {
  const { bench, receivers, record, asked } = await start(t);
  const ids = await record();
  bench.worker.start();
  await bench.settle();
  assert.ok(asked() > 0);
  assert.deepEqual(idsOf(receivers).toSorted(), [...ids].toSorted());

  const { rows } = await sql<{ id: string; event_id: string; form_id: FormId }>`
    select id, event_id, form_id from delivery`.execute(bench.database);
  const bodies = new Map<string, Uint8Array>();
  for (const { event_id, form_id } of rows)
    for (const [id, body] of await findBodies(bench.database, form_id, [event_id])) bodies.set(id, body);
  const eventOf = new Map(rows.map((row) => [row.id, row.event_id]));
  for (const { headers, body } of receivers.flatMap(({ requests }) => requests)) {
    const id = String(headers["x-service-delivery-id"]);
    assert.deepEqual(Uint8Array.from(body), Uint8Array.from(bodies.get(eventOf.get(id) ?? "") ?? []), id);
  }
  assert.deepEqual(await bench.queue(), []);
  for (const id of ids) assert.equal((await bench.delivery(id)).state, "delivered");
  assert.deepEqual(bench.errors, []);
});

test(
  "when the thread dies after a transaction that it did not answer, nothing is lost and nothing is sent twice",
  onSqlite,
  async (t) => {
    const { bench, receivers, record } = await start(t, new URL("./testing/dies-once.ts", import.meta.url));
    const ids = await record();
    bench.worker.start();
    await bench.settle();
    assert.equal(bench.errors.length, 1);
    // Its claims are nobody's until their leases end.
    assert.notDeepEqual(await bench.queue(), []);
    bench.clock.advance(75_000);
    await bench.settle();
    assert.deepEqual(await bench.queue(), []);
    assert.deepEqual(idsOf(receivers).toSorted(), [...ids].toSorted());
    for (const id of ids) assert.equal((await bench.delivery(id)).state, "delivered");
  },
);
