import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createWebhookSecret, verifyService, verifyStandard } from "@sealpost/wire";
import { type Authority, createAuthority, type ReceivedRequest, startReceiver } from "../webhooks/testing/receiver.ts";
import { benchAccountId, createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const window = 24 * 3_600_000;

async function rotate(
  { database, webhooks, clock }: DeliveryBench,
  formId: string,
  isPreviousKept = true,
): Promise<string> {
  const secret = createWebhookSecret();
  const until = isPreviousKept ? clock.now() + window : undefined;
  const rotated = await database
    .transaction()
    .execute((transaction) => webhooks.rotate(transaction, benchAccountId, formId, secret, until));
  assert.equal(rotated?.id, formId);
  return secret;
}

async function createRotationBench(t: Parameters<typeof createDeliveryBench>[0], refusal: number) {
  const receiver = { secret: "", refused: 0 };
  const outside = await startReceiver(t, {
    certificate: authority.good,
    // Knows one secret and compares one header as text, as the contract's example does.
    answer: async (request, response) => {
      const isValid = await verifyService(
        [receiver.secret],
        Uint8Array.from(request.body),
        String(request.headers["x-service-signature"]),
      );
      if (!isValid) receiver.refused += 1;
      response.writeHead(isValid ? 204 : refusal).end();
    },
  });
  const bench = await createDeliveryBench(t, { authority });
  const { formId, secret } = await bench.createWebhook(outside.url);
  receiver.secret = secret;
  bench.worker.start();
  return { bench, formId, receiver, requests: outside.requests };
}

const signFirst = async ({ database }: DeliveryBench) =>
  (await database.selectFrom("webhook").select("sign_first").executeTakeFirstOrThrow()).sign_first;

for (const refusal of [400, 401, 403]) {
  test(`a receiver that knows one secret and refuses with ${refusal} loses nothing, whenever it changes over`, async (t) => {
    const { bench, formId, receiver } = await createRotationBench(t, refusal);
    const ids = [await bench.record(formId)];
    await bench.settle();
    const fresh = await rotate(bench, formId);
    // Still on the old secret: it is tried first, so nothing is refused.
    ids.push(await bench.record(formId));
    await bench.settle();
    assert.equal(receiver.refused, 0);
    // The change: the first delivery meets one refusal, the next ones none.
    receiver.secret = fresh;
    for (let count = 0; count < 3; count++) {
      ids.push(await bench.record(formId));
      await bench.settle();
    }
    assert.equal(receiver.refused, 1);
    assert.equal(await signFirst(bench), "current");
    bench.clock.advance(window);
    ids.push(await bench.record(formId));
    await bench.settle();
    for (const id of ids) {
      const { state, attempts } = await bench.delivery(id);
      assert.deepEqual({ state, attempts }, { state: "delivered", attempts: 1 });
    }
    assert.equal(receiver.refused, 1);
  });
}

test("a receiver that answers a wrong signature with 500 gets the other one at the next attempt", async (t) => {
  const { bench, formId, receiver } = await createRotationBench(t, 500);
  receiver.secret = await rotate(bench, formId);
  const id = await bench.record(formId);
  await bench.settle();
  assert.equal((await bench.delivery(id)).state, "waiting");
  bench.clock.advance(60_000);
  await bench.settle();
  const { state, attempts } = await bench.delivery(id);
  assert.deepEqual({ state, attempts }, { state: "delivered", attempts: 2 });
  assert.equal(await signFirst(bench), "current");
});

test("both refused is permanent, in one attempt of two requests", async (t) => {
  const { bench, formId, receiver, requests } = await createRotationBench(t, 401);
  await rotate(bench, formId);
  receiver.secret = "whsec_c29tZXRoaW5nIGVsc2U=";
  const id = await bench.record(formId);
  await bench.settle();
  const { state, attempts } = await bench.delivery(id);
  assert.deepEqual({ state, attempts }, { state: "failed", attempts: 1 });
  assert.equal(requests.length, 2);
  assert.deepEqual(
    (await bench.attempts(id)).map(({ number, secret_used, status_code }) => [number, secret_used, status_code]),
    [
      [1, "previous", 401],
      [1, "current", 401],
    ],
  );
});

describe("what travels while two secrets are valid", () => {
  async function received(t: Parameters<typeof createDeliveryBench>[0]) {
    const made = await createRotationBench(t, 401);
    const old = made.receiver.secret;
    const fresh = await rotate(made.bench, made.formId);
    await made.bench.record(made.formId);
    await made.bench.settle();
    const [request] = made.requests;
    assert.ok(request);
    return { ...made, old, fresh, request };
  }
  const isService = (secret: string, request: ReceivedRequest, header: string) =>
    verifyService([secret], Uint8Array.from(request.body), String(request.headers[header] ?? ""));

  test("one value as X-Service-Signature, the other as alternate, both for Standard Webhooks", async (t) => {
    const { bench, old, fresh, request } = await received(t);
    assert.equal(await isService(old, request, "x-service-signature"), true);
    assert.equal(await isService(fresh, request, "x-service-signature-alternate"), true);
    const headers = {
      id: String(request.headers["webhook-id"]),
      timestamp: String(request.headers["webhook-timestamp"]),
      signature: String(request.headers["webhook-signature"]),
    };
    for (const secret of [old, fresh])
      assert.equal(await verifyStandard([secret], headers, Uint8Array.from(request.body), bench.clock.now()), "valid");
  });

  test("nothing of the old secret after 24 h", async (t) => {
    const { bench, formId, requests, fresh, receiver } = await received(t);
    receiver.secret = fresh;
    bench.clock.advance(window);
    await bench.record(formId);
    await bench.settle();
    const [, request] = requests;
    assert.ok(request);
    assert.equal(await isService(fresh, request, "x-service-signature"), true);
    assert.equal(request.headers["x-service-signature-alternate"], undefined);
    assert.doesNotMatch(String(request.headers["webhook-signature"]), / /);
  });

  test("the old secret for the last millisecond of its 24 h", async (t) => {
    const { bench, formId, requests, old } = await received(t);
    bench.clock.advance(window - 1);
    await bench.record(formId);
    await bench.settle();
    const [, request] = requests;
    assert.ok(request);
    assert.equal(await isService(old, request, "x-service-signature"), true);
  });

  test("nothing of the old secret once it was revoked", async (t) => {
    const { bench, formId, requests, receiver } = await received(t);
    receiver.secret = await rotate(bench, formId, false);
    const id = await bench.record(formId);
    await bench.settle();
    assert.equal((await bench.delivery(id)).state, "delivered");
    assert.equal(requests.at(-1)?.headers["x-service-signature-alternate"], undefined);
  });

  test("never a third: another rotation ends the oldest", async (t) => {
    const { bench, formId, requests, old, fresh } = await received(t);
    const newest = await rotate(bench, formId);
    await bench.record(formId);
    await bench.settle();
    const request = requests[1];
    assert.ok(request);
    assert.equal(await isService(fresh, request, "x-service-signature"), true);
    assert.equal(await isService(newest, request, "x-service-signature-alternate"), true);
    for (const header of ["x-service-signature", "x-service-signature-alternate"])
      assert.equal(await isService(old, request, header), false);
  });
});

test("an answer to a secret of the rotation before teaches nothing about this one", async (t) => {
  for (const isRotatedMeanwhile of [true, false]) {
    const answer = Promise.withResolvers<() => void>();
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => answer.resolve(() => void response.writeHead(204).end()),
    });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    await rotate(bench, formId);
    await bench.record(formId);
    // In flight with the current secret, which is the previous one after the next rotation.
    await bench.database.updateTable("delivery_queue").set({ start_with: "current" }).execute();
    bench.worker.start();
    const respond = await answer.promise;
    bench.clock.advance(1);
    if (isRotatedMeanwhile) await rotate(bench, formId);
    respond();
    await bench.settle();
    assert.equal(await signFirst(bench), isRotatedMeanwhile ? "previous" : "current");
  }
});
