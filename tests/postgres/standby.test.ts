import assert from "node:assert/strict";
import { test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { environmentOf, startOutageLoad, startPair, startWithForm } from "./failover.ts";
import { startDeliveryReceiver } from "./hand-over.ts";

/** One among all tests; `npm run test:standby` runs twenty. */
const rounds = Number(process.env.SEALPOST_STANDBY_ROUNDS ?? "1");
/** Among all tests the machine may have other things to do: then it is enough that it comes back. */
const backMillisecondsMax = process.env.SEALPOST_STANDBY_ROUNDS === undefined ? 120_000 : 5_000;

test("the primary is killed under load and its standby promoted: 503 meanwhile, nothing accepted is lost, all is delivered, and the service is back at once", async (t) => {
  const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
  const pair = await startPair(t);
  const { service, form, listAll } = await startWithForm(
    t,
    { ...environmentOf(t, pair), ...receiver.environment },
    { webhookUrl: receiver.url },
  );
  const load = startOutageLoad(form, service);

  const backAfter: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await load.acceptedMore(100);
    await pair.primary().kill();
    await load.refusedMore(20);
    const start = performance.now();
    await pair.promote();
    const promoted = performance.now();
    await load.acceptedMore(1);
    backAfter.push(performance.now() - promoted);
    t.diagnostic(
      `round ${round}: ${load.accepted.size} accepted, ${load.refused()} refused so far; promoted in ${seconds(promoted - start)}, back after ${seconds(backAfter.at(-1) ?? 0)}`,
    );
    if (round < rounds) await pair.renew();
  }
  await load.acceptedMore(100);
  await load.stop();

  const stored = await listAll();
  const lost = [...load.accepted].filter((id) => !stored.has(id));
  await receiver.allArrived(load.accepted);
  t.diagnostic(
    `${rounds} rounds: ${load.accepted.size} accepted, ${stored.size} stored, ${lost.length} lost, all accepted delivered, ${load.refused()} times 503, back after ${seconds(Math.max(...backAfter))} at most`,
  );
  assert.deepEqual(lost, []);
  assert.ok(Math.max(...backAfter) <= backMillisecondsMax, `back after ${backAfter.map(seconds).join(", ")}`);
});

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
