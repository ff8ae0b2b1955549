import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { kindOf } from "../database/kind.ts";
import { exceptOnCluster } from "../testing/test-database.ts";
import { type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import type { WorkerSignal } from "./delivery-worker.ts";
import { createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

/** Resolves when this many deliveries have ended. */
async function ended({ signal }: DeliveryBench, ids: readonly string[]): Promise<void> {
  const left = new Set(ids);
  await signal((said: WorkerSignal) => {
    if (said.kind === "request_ended" && said.completion.after.state === "delivered")
      left.delete(said.completion.claimed.id);
    return left.size === 0;
  });
}

test("a receiver that hangs, with a thousand deliveries due, holds one request and delays nobody", async (t) => {
  const hanging = await startReceiver(t, { certificate: authority.good, answer: () => {} });
  const good = await startReceiver(t, { certificate: authority.good });
  const bench = await createDeliveryBench(t, { authority });
  const { formId: dead } = await bench.createWebhook(hanging.url);
  const { formId } = await bench.createWebhook(good.url);
  await bench.recordMany(dead, 1000);
  const ids = await bench.recordMany(formId, 50);
  const delivered = ended(bench, ids);
  bench.worker.start();
  await delivered;
  assert.equal(good.requests.length, 50);
  assert.ok(hanging.requests.length <= 1);
});

test("a hundred receivers of two organizations whose names hang leave slots for one that answers", async (t) => {
  const good = await startReceiver(t, { certificate: authority.good });
  let asked = 0;
  const bench = await createDeliveryBench(t, {
    authority,
    resolve: (name) => {
      if (name === "receiver.example") return Promise.resolve(["127.0.0.1"]);
      asked += 1;
      return new Promise(() => {});
    },
  });
  for (let index = 0; index < 100; index++) {
    const { formId } = await bench.createWebhook(
      `https://hanging${index}.example/`,
      createId("account", 1 + (index % 2)),
    );
    await bench.recordMany(formId, 3);
  }
  const { formId } = await bench.createWebhook(`https://receiver.example:${good.port}/`);
  // Answers once while there is room, so that it is known when there is none.
  const first = await bench.recordMany(formId, 1);
  const known = ended(bench, first);
  await bench.database
    .updateTable("delivery_queue")
    .set({ due_at: bench.clock.now() + 1000 })
    .where("destination", "like", "% hanging%")
    .execute();
  bench.worker.start();
  await known;
  bench.clock.advance(1000);
  const ids = await bench.recordMany(formId, 20);
  await ended(bench, ids);
  assert.equal(good.requests.length, 21);
  assert.equal(asked, 48);
});

test("a jump of the clock by an hour sends nothing twice that is in flight", async (t) => {
  const arrived = Promise.withResolvers<() => void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response, count) =>
      count === 1 ? arrived.resolve(() => void response.writeHead(204).end()) : void response.writeHead(204).end(),
  });
  const other = await startReceiver(t, { certificate: authority.good });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(receiver.url);
  const { formId: otherId } = await bench.createWebhook(other.url);
  bench.worker.start();
  const id = await bench.record(formId);
  const answer = await arrived.promise;
  bench.clock.advance(3_600_000);
  const ids = await bench.recordMany(otherId, 1);
  await ended(bench, ids);
  answer();
  await bench.settle();
  assert.equal(receiver.requests.length, 1);
  assert.equal((await bench.delivery(id)).state, "delivered");
  bench.clock.advance(-3_600_000);
  const late = await bench.record(formId);
  await bench.settle();
  assert.equal((await bench.delivery(late)).state, "delivered");
});

test("a database that fails while a request is in flight loses nothing and repeats nothing", async (t) => {
  const arrived = Promise.withResolvers<() => void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => arrived.resolve(() => void response.writeHead(204).end()),
  });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(receiver.url);
  bench.worker.start();
  const id = await bench.record(formId);
  const answer = await arrived.promise;
  await sql`alter table delivery_queue rename to away`.execute(bench.database);
  const failed = bench.nextError();
  answer();
  await failed;
  await sql`alter table away rename to delivery_queue`.execute(bench.database);
  await bench.settle();
  assert.equal((await bench.delivery(id)).state, "delivered");
  assert.equal(receiver.requests.length, 1);
});

async function breakClaims({ database }: DeliveryBench, formId: FormId): Promise<void> {
  if (kindOf(database) === "postgres") {
    await sql`create function broken() returns trigger language plpgsql as 'begin raise exception ''broken''; end'`.execute(
      database,
    );
    await sql`create trigger broken before update on delivery_queue for each row
      when (new.form_id = ${sql.lit(formId)} and new.claim_token is not null) execute function broken()`.execute(
      database,
    );
  } else {
    await sql`create trigger broken before update of claim_token on delivery_queue
      when new.form_id = ${sql.lit(formId)} and new.claim_token is not null begin select raise(abort, 'broken'); end`.execute(
      database,
    );
  }
}

test("what a claim can't do does not keep what ended from being stored", exceptOnCluster, async (t) => {
  const arrived = Promise.withResolvers<() => void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => arrived.resolve(() => void response.writeHead(204).end()),
  });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(receiver.url);
  bench.worker.start();
  const id = await bench.record(formId);
  const answer = await arrived.promise;
  const { formId: other } = await bench.createWebhook("https://127.0.0.1:1/");
  // Every claim of the other form's delivery fails from here on.
  await breakClaims(bench, other);
  const failed = bench.nextError();
  await bench.record(other);
  await failed;
  const delivered = ended(bench, [id]);
  answer();
  bench.worker.wake();
  await delivered;
  assert.equal((await bench.delivery(id)).state, "delivered");
});

test("at most 4 requests at once go to one host, and fewer the scarcer slots are", async (t) => {
  const full = Promise.withResolvers<void>();
  const held: (() => void)[] = [];
  const perHost = new Array<number>(20).fill(0);
  let isHolding = false;
  const bench = await createDeliveryBench(t, { authority });
  const forms: FormId[] = [];
  for (let host = 0; host < 20; host++) {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => {
        if (!isHolding) return void response.writeHead(204).end();
        perHost[host] = (perHost[host] ?? 0) + 1;
        held.push(() => void response.writeHead(204).end());
        if (held.length === 52) full.resolve();
      },
    });
    const { formId } = await bench.createWebhook(receiver.url, createId("account", 1 + host));
    forms.push(formId);
  }
  bench.worker.start();
  for (const formId of forms) await bench.record(formId);
  await bench.settle();
  isHolding = true;
  const ids: string[] = [];
  await bench.database.transaction().execute(async (transaction) => {
    for (const formId of forms) ids.push(...(await bench.recordMany(formId, 10, transaction)));
  });
  const delivered = ended(bench, ids);
  bench.worker.wake();
  await full.promise;
  const count = (requests: number) => perHost.filter((each) => each === requests).length;
  assert.deepEqual([count(4), count(2), count(1)], [8, 8, 4]);
  isHolding = false;
  for (const answer of held) answer();
  await delivered;
});
