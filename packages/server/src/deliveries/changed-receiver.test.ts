import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPurgeStore } from "../retention/purge-store.ts";
import { type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { attemptsMax, gapsMilliseconds } from "./delivery.ts";
import { benchAccountId, createDeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

/** Deliveries: more than a process claims at once for a destination, and a few. */
for (const [isOther, count] of [
  [false, 40],
  [true, 5],
] as const)
  test(`deliveries whose webhook gets no address and then ${isOther ? "another" : "the same"}, at each of their attempts, have all of them left at their times`, async (t) => {
    const answer: Parameters<typeof startReceiver>[1]["answer"] = (_request, response) =>
      void response.writeHead(500).end();
    const receivers = [
      await startReceiver(t, { certificate: authority.good, answer }),
      await startReceiver(t, { certificate: authority.good, answer }),
    ] as const;
    const asked = () => receivers.map(({ requests }) => requests.length).reduce((sum, one) => sum + one, 0);
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receivers[0].url);
    const { endDeliveries } = createPurgeStore(bench.database);
    const setUrl = (url: string | null) =>
      bench.database
        .transaction()
        .execute((transaction) =>
          bench.webhooks.setUrl(transaction, { id: formId, accountId: benchAccountId }, { url, setBy: benchAccountId }),
        );
    bench.worker.start();
    await bench.recordMany(formId, count);
    await bench.settle();
    for (let attempt = 1; attempt < attemptsMax; attempt++) {
      assert.equal(asked(), count * attempt);
      const waiting = (await bench.queue()).map(({ due_at, claims }) => ({ due_at, claims }));
      for (let round = 0; round < 2; round++) {
        await setUrl(null);
        // As the purge does, but that the worker learns of it only when there is an address again.
        while (await endDeliveries(bench.clock.now()));
        assert.ok(
          (await bench.queue()).every(({ due_at }) => due_at <= bench.clock.now()),
          "a control",
        );
        await setUrl(receivers[isOther ? (attempt + round) % 2 : 0]?.url ?? null);
        await bench.settle();
      }
      assert.equal(asked(), count * attempt, "nobody is asked before the time");
      assert.deepEqual(
        (await bench.queue()).map(({ due_at, claims }) => ({ due_at, claims })),
        waiting,
      );
      bench.clock.advance(Math.ceil((gapsMilliseconds[attempt] ?? 0) * 1.1));
      await bench.settle();
    }
    assert.equal(asked(), count * attemptsMax);
    assert.deepEqual(await bench.queue(), []);
  });
