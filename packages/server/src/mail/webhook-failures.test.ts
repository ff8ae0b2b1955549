import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeliveryBench } from "../deliveries/testing/delivery-bench.ts";
import { createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";

test("a form knows since when its webhook accepts nothing: from the first failure in a row until something arrives", async (t) => {
  let status = 503;
  const authority = await createAuthority();
  const outside = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => void response.writeHead(status).end(),
  });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(outside.url);
  const failingSince = async () =>
    (await bench.database.selectFrom("webhook").select("failing_since").executeTakeFirstOrThrow()).failing_since;
  bench.worker.start();
  const start = bench.clock.now();
  await bench.record(formId);
  await bench.settle();
  assert.equal(await failingSince(), start);
  bench.clock.advance(3_600_000);
  await bench.settle();
  assert.equal(await failingSince(), start, "it began then");
  status = 410;
  await bench.record(formId);
  await bench.settle();
  assert.equal(await failingSince(), start, "refused for good counts as well");
  status = 204;
  await bench.record(formId);
  await bench.settle();
  assert.equal(await failingSince(), null);
});
