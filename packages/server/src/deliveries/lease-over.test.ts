import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { answerMilliseconds } from "../webhooks/webhook-client.ts";
import { leaseMilliseconds } from "./claim.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { claimDue } from "./testing/claim-due.ts";
import { createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

/** The moments after which a worker sends, and how it comes to that. */
const moments = {
  "a claim": (bench, formId) => sendQueued(bench, formId),
  "a redirect": (bench, formId) => sendQueued(bench, formId),
  "the claim of a test": (bench, formId) =>
    bench.worker.sendNow(
      {
        ...{ kind: "submission.deleted", formId, formName: "Contact", occurredAt: bench.clock.now(), isTest: true },
        content: { submission: { id: createId("submission") } },
      },
      new AbortController().signal,
      async () => true,
    ),
} as const satisfies Readonly<Record<string, (bench: DeliveryBench, formId: FormId) => Promise<string | undefined>>>;

async function sendQueued(bench: DeliveryBench, formId: FormId): Promise<string> {
  const id = await bench.record(formId);
  await bench.settle();
  return id;
}

/** A worker whose process is stopped once, right after the moment: nothing of it runs until `whileStopped` has ended. */
async function start(
  t: TestContext,
  moment: keyof typeof moments,
  whileStopped: (bench: DeliveryBench) => Promise<unknown>,
) {
  const isRedirected = moment === "a redirect";
  const target = await startReceiver(t, { certificate: authority.good });
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => response.writeHead(isRedirected ? 307 : 204, { location: target.url }).end(),
  });
  let hasStopped = false;
  const stopAfter = async <Answer>(answer: Answer, isIt: boolean): Promise<Answer> => {
    if (isIt && !hasStopped) {
      hasStopped = true;
      await whileStopped(bench);
    }
    return answer;
  };
  const wrapStore = (store: DeliveryStore): DeliveryStore => ({
    ...store,
    async settleAndClaim(...settled) {
      const answer = await store.settleAndClaim(...settled);
      const isIt = isRedirected
        ? answer.stored.some(({ kind }) => kind === "continued")
        : (answer.claim?.deliveries.length ?? 0) > 0;
      return stopAfter(answer, isIt);
    },
    claimNew: async (...claimed) => stopAfter(await store.claimNew(...claimed), true),
  });
  const bench = await createDeliveryBench(t, { authority, wrapStore });
  const { formId } = await bench.createWebhook(receiver.url);
  bench.worker.start();
  const id = (await moments[moment](bench, formId)) ?? assert.fail("nothing was sent");
  return { bench, id, requests: isRedirected ? target.requests : receiver.requests };
}

const isGivenBack = ({ signals }: DeliveryBench) =>
  signals.some((said) => said.kind === "request_ended" && said.completion.isUnsent);

for (const moment of ["a claim", "a redirect", "the claim of a test"] as const) {
  test(`a process that stood still after ${moment} sends nothing that another one has claimed since`, async (t) => {
    let claims = 0;
    const { requests } = await start(t, moment, async (bench) => {
      bench.clock.advance(leaseMilliseconds);
      claims = (await claimDue(bench)).deliveries.length;
    });
    // Nobody sends a test a second time: it ends.
    assert.equal(claims, moment === "the claim of a test" ? 0 : 1);
    assert.equal(requests.length, 0);
  });

  test(`a process that stood still after ${moment} sends nothing that would outlast its lease, and none is lost`, async (t) => {
    const { bench, id, requests } = await start(t, moment, async ({ clock }) =>
      clock.advance(leaseMilliseconds - answerMilliseconds + 1),
    );
    if (moment !== "the claim of a test") await bench.settle();
    assert.equal(isGivenBack(bench), true);
    const { state, last_error } = await bench.delivery(id);
    assert.deepEqual(await bench.queue(), []);
    if (moment === "the claim of a test")
      assert.deepEqual([requests.length, state, last_error], [0, "failed", "test_interrupted"]);
    else assert.deepEqual([requests.length, state, last_error], [1, "delivered", null]);
    assert.equal((await bench.attempts(id)).filter(({ status_code }) => status_code === null).length, 0);
  });

  test(`a process that stood still after ${moment} for less sends at once`, async (t) => {
    const { bench, id, requests } = await start(t, moment, async ({ clock }) =>
      clock.advance(leaseMilliseconds - answerMilliseconds),
    );
    assert.deepEqual([requests.length, (await bench.delivery(id)).state], [1, "delivered"]);
    assert.equal(isGivenBack(bench), false);
  });
}
