import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createId } from "@sealpost/wire";
import { CompiledQuery } from "kysely";
import { measurePlans } from "../testing/measured-plans.ts";
import { measureWork } from "../testing/measured-work.ts";
import { exceptOnCluster, testDatabaseKind } from "../testing/test-database.ts";
import { type Authority, createAuthority } from "../webhooks/testing/receiver.ts";
import { next } from "./delivery.ts";
import { createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

/** A claim's steps, whatever else is in the queue: a queue may grow by each of the columns that its rows are looked up by. */

/** More than a few claims let in. */
const few = 1_600;
const many = 4_800;
const takeWork = testDatabaseKind === "sqlite" ? measureWork() : measurePlans();
let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

type Row = Awaited<ReturnType<DeliveryBench["queue"]>>[number];
type Change = (row: Row, number: number) => Partial<Row>;

const organizationOf = ({ destination }: Row) => destination.slice(0, destination.indexOf(" "));
const hostOf = (number: number) => `h${String(number).padStart(6, "0")}.example:443`;
const spreads: Readonly<Record<string, Change>> = {
  "one destination": () => ({}),
  "many forms": (_, number) => ({ form_id: createId("form", number) }),
  "many hosts of one organization": (row, number) => ({ destination: `${organizationOf(row)} ${hostOf(number)}` }),
  "many organizations": (_, number) => ({ destination: `${createId("account", number)} receiver.example:443` }),
};
/** When a claim is made: long before the rows are due, or after that. */
const times = { waiting: 1, due: 30 * 3_600_000 };

async function claim({ store, clock }: DeliveryBench) {
  const { claim } = await store.settleAndClaim([], {
    ...{ now: clock.now(), slots: 16, retrySlots: 8, afterDestination: "", fullDestinations: [], inFlight: [] },
    destinationLimits: {
      ...{ taken: () => {}, read: () => ({ claimed: [], isAhead: true, paces: [] }), roomMax: 4, room: () => 4 },
    },
  });
  return claim?.deliveries ?? [];
}

/** The row of a delivery whose first attempt was refused. */
async function refuse(bench: DeliveryBench): Promise<Row> {
  const { formId } = await bench.createWebhook("https://receiver.example/");
  const id = await bench.record(formId);
  const [claimed] = await claim(bench);
  assert.ok(claimed);
  const at = bench.clock.now();
  const answer = { statusCode: 500, retryAfterMilliseconds: undefined, redirectTo: undefined, jitter: 0 };
  const after = next(claimed.sending, { kind: "responded", at, ...answer });
  assert.ok(after);
  const result = { durationMilliseconds: 5, statusCode: 500, error: undefined };
  await bench.store.settleAndClaim(
    [{ claimed, before: claimed.sending, lease: claimed.lease, at, result, after }],
    undefined,
  );
  const row = (await bench.queue()).find(({ delivery_id }) => delivery_id === id);
  assert.ok(row);
  return row;
}

async function addRows({ database }: DeliveryBench, row: Row, change: Change, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 100) {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      ...row,
      delivery_id: createId("delivery", start + index),
      ...change(row, start + index),
    }));
    await database.insertInto("delivery_queue").values(rows).execute();
  }
  if (testDatabaseKind !== "sqlite") await database.executeQuery(CompiledQuery.raw("analyze delivery_queue"));
}

/** The statements of a claim of another organization's delivery, and of the search for when to look again, with their steps. */
async function measure(bench: DeliveryBench, formId: Parameters<DeliveryBench["record"]>[0]) {
  await bench.record(formId);
  takeWork();
  const claimed = await claim(bench);
  await bench.store.findNextDue();
  await bench.store.bringForward(bench.clock.now(), false);
  return { claimed, work: takeWork().filter(({ text }) => text.includes("delivery_queue")) };
}

describe("a claim takes no more steps when more is in the queue", exceptOnCluster, () => {
  for (const [spread, change] of Object.entries(spreads))
    for (const [when, milliseconds] of Object.entries(times))
      for (const attempt of when === "due" ? [1, 2] : [2])
        test(`${when}, attempt ${attempt}: ${spread}`, async (t) => {
          const bench = await createDeliveryBench(t, { authority });
          const refused = await refuse(bench);
          // Before everything else in the order of the walk.
          const { formId } = await bench.createWebhook("https://other.example/", createId("account", 0));
          const row = attempt === 1 ? { ...(await firstOf(bench, formId)), destination: refused.destination } : refused;
          await addRows(bench, row, change, 0, few);
          bench.clock.advance(milliseconds);
          // It may let something in, which the next one finds.
          await claim(bench);
          const before = await measure(bench, formId);
          await addRows(bench, row, change, few, many);
          const after = await measure(bench, formId);
          assert.ok(before.work.length > 2);
          const growing = after.work.filter(({ text, steps }) => {
            const known = before.work.find((one) => one.text === text);
            return steps > 1.5 * (known?.steps ?? 3_000) + 200;
          });
          assert.deepEqual(growing, []);
          if (when === "waiting") assert.equal(after.claimed.length, 1);
        });
});

/** The row of a delivery that nobody has claimed yet. */
async function firstOf(bench: DeliveryBench, formId: Parameters<DeliveryBench["record"]>[0]): Promise<Row> {
  const id = await bench.record(formId);
  const row = (await bench.queue()).find(({ delivery_id }) => delivery_id === id);
  assert.ok(row);
  return row;
}
