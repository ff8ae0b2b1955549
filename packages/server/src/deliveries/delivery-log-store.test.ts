import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createId } from "@sealpost/wire";
import { wipeSubmissionBodies } from "../outbox/queue-wipe.ts";
import { createPurgeStore } from "../retention/purge-store.ts";
import { type Answer, type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { createDeliveryLogStore } from "./delivery-log-store.ts";
import { createDeliveryRetention } from "./delivery-retention.ts";
import { createDeliveryRetentionStore } from "./delivery-retention-store.ts";
import { benchAccountId, createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

const retentionMilliseconds = 30 * 86_400_000;

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

async function createLogBench(t: Parameters<typeof createDeliveryBench>[0], answer?: Answer) {
  const receiver = await startReceiver(t, { certificate: authority.good, ...(answer && { answer }) });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(receiver.url);
  bench.worker.start();
  return { receiver, bench, formId, log: createDeliveryLogStore(bench.database) };
}
const all = { limit: 100, after: undefined, status: undefined };
const failing: Answer = (_request, response) => response.writeHead(500).end();
const countRows = async ({ database }: DeliveryBench) => {
  const counts: Record<string, number> = {};
  for (const table of ["delivery", "event", "attempt", "delivery_queue"] as const)
    counts[table] = (await database.selectFrom(table).selectAll().execute()).length;
  return counts;
};

describe("the log", () => {
  test("the delivery log shows a delivery from the end of its first attempt on", async (t) => {
    const arrived = Promise.withResolvers<() => void>();
    const { bench, formId, log } = await createLogBench(t, (_request, response) =>
      arrived.resolve(() => void response.writeHead(204).end()),
    );
    const id = await bench.record(formId);
    const answer = await arrived.promise;
    assert.deepEqual((await log.list(formId, all)).lines, []);
    assert.equal(await log.find(formId, id), undefined);
    answer();
    await bench.settle();
    assert.deepEqual(
      (await log.list(formId, all)).lines.map((line) => [
        line.id,
        line.state,
        line.attempts,
        line.statusCode,
        line.error,
      ]),
      [[id, "delivered", 1, 204, undefined]],
    );
  });

  test("the delivery log pages through newest first, without a gap or a repetition among equal times", async (t) => {
    const { bench, formId, log } = await createLogBench(t);
    await bench.recordMany(formId, 5);
    bench.clock.advance(1);
    await bench.recordMany(formId, 5);
    await bench.settle();
    const whole = (await log.list(formId, all)).lines.map(({ id }) => id);
    assert.equal(whole.length, 10);
    const paged: string[] = [];
    let after: { createdAt: number; id: string } | undefined;
    do {
      const { lines: page } = await log.list(formId, { ...all, limit: 3, after });
      paged.push(...page.map(({ id }) => id));
      after = page.at(-1);
    } while (after !== undefined);
    assert.deepEqual(paged, whole);
    const times = (await log.list(formId, all)).lines.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, times.toSorted().reverse());
  });

  test("the delivery log tells success from failure, and shows nothing of another form", async (t) => {
    const { bench, formId, log } = await createLogBench(t, (_request, response, count) =>
      response.writeHead([204, 500, 404][count - 1] ?? 204).end(),
    );
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      ids.push(await bench.record(formId));
      await bench.settle();
    }
    const idsOf = async (status: "success" | "failed") =>
      (await log.list(formId, { ...all, status })).lines.map(({ id }) => id).sort();
    assert.deepEqual(await idsOf("success"), [ids[0]]);
    assert.deepEqual(await idsOf("failed"), [ids[1], ids[2]].sort());
    const { formId: other } = await bench.createWebhook("https://receiver.example/");
    assert.deepEqual((await log.list(other, all)).lines, []);
    for (const id of ids) assert.equal(await log.find(other, id), undefined);
  });

  test("the delivery log shows the deliveries of one submission alone, resent ones too", async (t) => {
    const { bench, formId, log } = await createLogBench(t);
    const submissionId = createId("submission");
    const own = await bench.record(formId, { submissionId });
    await bench.recordMany(formId, 30, undefined, { submissionId: createId("submission") });
    await bench.recordMany(formId, 30);
    await bench.settle();
    bench.clock.advance(1);
    const resent = await log.resend(formId, own, bench.clock.now(), 100);
    await bench.settle();
    const again = resent.outcome === "queued" ? resent.deliveryId : undefined;
    const { lines: found } = await log.list(formId, { ...all, submissionId });
    assert.deepEqual(
      found.map(({ id }) => id),
      [again, own],
    );
    const { formId: other } = await bench.createWebhook("https://receiver.example/");
    assert.deepEqual((await log.list(other, { ...all, submissionId })).lines, []);
    assert.deepEqual((await log.list(formId, { ...all, submissionId: "sub_none" })).lines, []);
  });

  test("the delivery log keeps every request of a delivery, and the bytes that were sent", async (t) => {
    const { bench, formId, log, receiver } = await createLogBench(t, failing);
    const id = await bench.record(formId);
    await bench.settle();
    bench.clock.advance(60_000);
    await bench.settle();
    const detail = await log.find(formId, id);
    assert.deepEqual(
      detail?.attempts.map(({ number, statusCode, error, url }) => [number, statusCode, error, url]),
      [
        [1, 500, "status", receiver.url],
        [2, 500, "status", receiver.url],
      ],
    );
    assert.deepEqual(Buffer.from(detail?.body ?? []), receiver.requests[0]?.body);
    assert.equal(detail?.line.nextAttemptAt, bench.clock.now() + 5 * 60_000);
  });
});

describe("a resend", () => {
  test("a resend is another delivery of the same bytes", async (t) => {
    const { bench, formId, log, receiver } = await createLogBench(t);
    const id = await bench.record(formId);
    await bench.settle();
    const outcome = await log.resend(formId, id, bench.clock.now(), 100);
    assert.equal(outcome.outcome, "queued");
    await bench.settle();
    assert.equal(receiver.requests.length, 2);
    assert.deepEqual(receiver.requests[1]?.body, receiver.requests[0]?.body);
    assert.notEqual(receiver.requests[1]?.headers["webhook-id"], id);
    assert.equal((await log.list(formId, all)).lines.length, 2);
  });

  test("a resend is refused for another form's delivery, without a URL, and for one whose submission was deleted", async (t) => {
    const { bench, formId, log } = await createLogBench(t);
    const submissionId = createId("submission", 0);
    const id = await bench.record(formId, { kind: "submission.created", submissionId });
    await bench.settle();
    const now = bench.clock.now();
    const { formId: other } = await bench.createWebhook("https://receiver.example/");
    assert.deepEqual(await log.resend(other, id, now, 100), { outcome: "not_found" });
    await bench.database
      .transaction()
      .execute((transaction) =>
        bench.webhooks.setUrl(
          transaction,
          { id: formId, accountId: benchAccountId },
          { url: null, setBy: benchAccountId },
        ),
      );
    assert.deepEqual(await log.resend(formId, id, now, 100), { outcome: "no_url" });
    await bench.database
      .transaction()
      .execute((transaction) => wipeSubmissionBodies(transaction, formId, [submissionId]));
    assert.deepEqual(await log.resend(formId, id, now, 100), { outcome: "wiped" });
  });
});

describe("deleting a submission", () => {
  test("deleting a submission empties the body of its finished delivery at once; the line stays", async (t) => {
    const { bench, formId, log } = await createLogBench(t);
    const submissionId = createId("submission", 0);
    const id = await bench.record(formId, { kind: "submission.created", submissionId });
    await bench.settle();
    await bench.database
      .transaction()
      .execute((transaction) => wipeSubmissionBodies(transaction, formId, [submissionId]));
    const detail = await log.find(formId, id);
    assert.deepEqual([detail?.line.state, detail?.body], ["delivered", undefined]);
  });

  test("deleting a submission hides the body of an unfinished delivery, and empties it when that ends, by success or by failure", async (t) => {
    for (const [answer, gaps] of [
      [(_request, response, count) => void response.writeHead(count === 1 ? 500 : 204).end(), 1],
      [failing, 5],
    ] as [Answer, number][]) {
      const { bench, formId, log } = await createLogBench(t, answer);
      const submissionId = createId("submission", 0);
      const id = await bench.record(formId, { kind: "submission.created", submissionId });
      await bench.settle();
      await bench.database
        .transaction()
        .execute((transaction) => wipeSubmissionBodies(transaction, formId, [submissionId]));
      for (let gap = 0; gap < gaps; gap++) {
        const { body, wipe } = await bench.database
          .selectFrom("event")
          .select(["body", "wipe"])
          .executeTakeFirstOrThrow();
        assert.deepEqual([body === null, wipe], [false, 1], "still needed");
        assert.equal((await log.find(formId, id))?.body, undefined);
        bench.clock.advance(86_400_000);
        await bench.settle();
      }
      const detail = await log.find(formId, id);
      assert.notEqual(detail?.line.state, "waiting");
      assert.equal((await bench.database.selectFrom("event").select("body").executeTakeFirst())?.body, null);
    }
  });
});

/** As the purge does in the background. */
async function endQueued({ database, clock }: DeliveryBench): Promise<void> {
  const { endDeliveries } = createPurgeStore(database);
  while (await endDeliveries(clock.now()));
}

describe("removing the webhook URL", () => {
  test("removing the webhook URL ends what waits for a later attempt at once, without a request", async (t) => {
    const { bench, formId, receiver } = await createLogBench(t, failing);
    const ids = await bench.recordMany(formId, 3);
    await bench.settle();
    assert.equal(receiver.requests.length, 3);
    await bench.database
      .transaction()
      .execute((transaction) =>
        bench.webhooks.setUrl(
          transaction,
          { id: formId, accountId: benchAccountId },
          { url: null, setBy: benchAccountId },
        ),
      );
    await endQueued(bench);
    await bench.settle();
    for (const id of ids) {
      const { state, last_error, next_attempt_at } = await bench.delivery(id);
      assert.deepEqual(
        { state, last_error, next_attempt_at },
        { state: "failed", last_error: "url_removed", next_attempt_at: null },
      );
    }
    assert.equal(receiver.requests.length, 3);
  });

  test("removing the webhook URL empties what was kept only to be sent", async (t) => {
    const { bench, formId, log } = await createLogBench(t, failing);
    const submissionId = createId("submission", 0);
    const id = await bench.record(formId, { kind: "submission.created", submissionId });
    await bench.settle();
    await bench.database.transaction().execute(async (transaction) => {
      await wipeSubmissionBodies(transaction, formId, [submissionId]);
      await bench.webhooks.setUrl(
        transaction,
        { id: formId, accountId: benchAccountId },
        { url: null, setBy: benchAccountId },
      );
    });
    await endQueued(bench);
    await bench.settle();
    assert.deepEqual((await log.find(formId, id))?.body, undefined);
  });
});

describe("retention", () => {
  test("retention of deliveries removes a delivery 30 days after its end with everything of it, and nothing earlier", async (t) => {
    const { bench, formId } = await createLogBench(t);
    const retention = createDeliveryRetention({
      retentionMilliseconds,
      store: createDeliveryRetentionStore(bench.database),
      mayDeleteOld: async () => true,
      clock: bench.clock,
      report: (error) => assert.fail(String(error)),
    });
    await bench.record(formId);
    await bench.settle();
    const early = await countRows(bench);
    bench.clock.advance(retentionMilliseconds);
    await bench.record(formId);
    await bench.settle();
    assert.equal(await retention.run(), 0);
    bench.clock.advance(1);
    assert.equal(await retention.run(), 1);
    assert.deepEqual(await countRows(bench), early);
  });

  test("retention of deliveries removes nothing by a clock that is not trusted, or that jumps while it is at work", async (t) => {
    const { bench, formId } = await createLogBench(t);
    await bench.record(formId);
    await bench.settle();
    const before = await countRows(bench);
    const answers = [true, false];
    const retention = createDeliveryRetention({
      retentionMilliseconds,
      store: createDeliveryRetentionStore(bench.database),
      mayDeleteOld: async () => {
        bench.clock.advance(retentionMilliseconds + 1);
        return answers.shift() === true;
      },
      clock: bench.clock,
      report: (error) => assert.fail(String(error)),
    });
    for (let run = 0; run < 2; run++) assert.equal(await retention.run(), 0);
    assert.deepEqual([await countRows(bench), answers], [before, []]);
  });

  test("retention of deliveries continues in batches until nothing is left, and leaves what still waits", async (t) => {
    const { bench, formId } = await createLogBench(t, failing);
    await bench.recordMany(formId, 2500);
    await bench.database.deleteFrom("delivery_queue").execute();
    await bench.database.updateTable("delivery").set({ state: "failed", finished_at: bench.clock.now() }).execute();
    bench.clock.advance(retentionMilliseconds + 1);
    const waiting = await bench.record(formId);
    await bench.settle();
    const retention = createDeliveryRetention({
      retentionMilliseconds,
      store: createDeliveryRetentionStore(bench.database),
      mayDeleteOld: async () => true,
      clock: bench.clock,
      report: (error) => assert.fail(String(error)),
    });
    assert.equal(await retention.run(), 2500);
    assert.equal((await bench.delivery(waiting)).state, "waiting");
    assert.deepEqual(await countRows(bench), { delivery: 1, event: 1, attempt: 1, delivery_queue: 1 });
  });

  test("retention of deliveries keeps an event for as long as a delivery of it is kept", async (t) => {
    const { bench, formId, log } = await createLogBench(t);
    const id = await bench.record(formId);
    await bench.settle();
    bench.clock.advance(retentionMilliseconds);
    await log.resend(formId, id, bench.clock.now(), 100);
    await bench.settle();
    bench.clock.advance(1);
    const store = createDeliveryRetentionStore(bench.database);
    assert.equal(await store.deleteEnded(bench.clock.now() - retentionMilliseconds, 10), 1);
    const [left] = (await log.list(formId, all)).lines;
    assert.ok(left && (await log.find(formId, left.id))?.body);
  });
});
