import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createWebhookSecret, verifyService, verifyStandard } from "@sealpost/wire";
import { type Authority, createAuthority, type ReceivedRequest, startReceiver } from "../webhooks/testing/receiver.ts";
import { secretIdOf } from "../webhooks/webhook-secrets.ts";
import { benchAccountId, createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const minute = 60_000;
const hour = 60 * minute;
const window = 24 * hour;

async function rotate(
  { database, webhooks, clock }: DeliveryBench,
  formId: string,
  isPreviousKept = true,
): Promise<string> {
  const secret = createWebhookSecret();
  const now = clock.now();
  const rotation = { secret, now, previousExpiresAt: isPreviousKept ? now + window : undefined };
  const rotated = await database
    .transaction()
    .execute((transaction) => webhooks.rotate(transaction, benchAccountId, formId, rotation));
  assert.ok(rotated.outcome === "rotated" && rotated.form.id === formId);
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

async function findNewest({ database }: DeliveryBench): Promise<string> {
  return secretIdOf((await database.selectFrom("webhook").select("secret").executeTakeFirstOrThrow()).secret);
}

async function isNewestAccepted(bench: DeliveryBench): Promise<boolean> {
  const row = await bench.database.selectFrom("webhook").select("accepted_secret").executeTakeFirstOrThrow();
  return row.accepted_secret === (await findNewest(bench));
}

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
    assert.ok(await isNewestAccepted(bench));
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
  assert.ok(await isNewestAccepted(bench));
});

test("if both secrets are refused the failure is permanent, in one attempt of two requests", async (t) => {
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
      [1, "earlier", 401],
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

  test("while two secrets are valid, one signs X-Service-Signature, the other the alternate, and both sign for Standard Webhooks", async (t) => {
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

  test("after 24 h nothing is signed with the old secret", async (t) => {
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

  test("the old secret signs until the last millisecond of its 24 h", async (t) => {
    const { bench, formId, requests, old } = await received(t);
    bench.clock.advance(window - 1);
    await bench.record(formId);
    await bench.settle();
    const [, request] = requests;
    assert.ok(request);
    assert.equal(await isService(old, request, "x-service-signature"), true);
  });

  test("a revoked secret signs nothing", async (t) => {
    const { bench, formId, requests, receiver } = await received(t);
    receiver.secret = await rotate(bench, formId, false);
    const id = await bench.record(formId);
    await bench.settle();
    assert.equal((await bench.delivery(id)).state, "delivered");
    assert.equal(requests.at(-1)?.headers["x-service-signature-alternate"], undefined);
  });
});

/** A receiver that knows one secret, after so many rotations, an hour apart. */
async function rotateOften(t: Parameters<typeof createDeliveryBench>[0], rotations: number, refusal = 401) {
  const made = await createRotationBench(t, refusal);
  const secrets = [made.receiver.secret];
  const started = made.bench.clock.now();
  for (let count = 0; count < rotations; count++) {
    if (count > 0) made.bench.clock.advance(hour);
    secrets.push(await rotate(made.bench, made.formId));
  }
  const deliver = async () => {
    const id = await made.bench.record(made.formId);
    await made.bench.settle();
    return (await made.bench.delivery(id)).state;
  };
  return { ...made, secrets, started, deliver };
}

test("every secret stays valid until its promised moment, however often the form rotates meanwhile", async (t) => {
  const { bench, receiver, requests, secrets, started, deliver } = await rotateOften(t, 4);
  for (const [index, secret] of secrets.entries()) {
    receiver.secret = secret;
    assert.equal(await deliver(), "delivered", `the secret of rotation ${index}`);
    // The accepted secret is tried first from then on.
    const before = requests.length;
    assert.equal(await deliver(), "delivered");
    assert.equal(requests.length, before + 1);
  }
  // One ends after the other, each at its own moment: the first was replaced three hours before the last.
  for (const [index, secret] of secrets.slice(0, 4).entries()) {
    const endsIn = window - (3 - index) * hour;
    bench.clock.advance(started + 3 * hour + endsIn - 1 - bench.clock.now());
    receiver.secret = secret;
    assert.equal(await deliver(), "delivered", `the last millisecond of ${index}`);
    bench.clock.advance(1);
    assert.equal(await deliver(), "failed", `after the end of ${index}`);
  }
});

test("an attempt tries the secret that was accepted last, then the newest to the oldest, and its next one is the alternate", async (t) => {
  const { bench, formId, receiver, requests, secrets } = await rotateOften(t, 3);
  const [first = "", second = "", third = "", newest = ""] = secrets;
  receiver.secret = second;
  const id = await bench.record(formId);
  await bench.settle();
  const signedBy = async (request: ReceivedRequest, header: string) => {
    for (const secret of secrets)
      if (await verifyService([secret], Uint8Array.from(request.body), String(request.headers[header] ?? "")))
        return secret;
    return undefined;
  };
  const order = [];
  for (const request of requests)
    order.push([
      await signedBy(request, "x-service-signature"),
      await signedBy(request, "x-service-signature-alternate"),
    ]);
  assert.deepEqual(order, [
    [first, newest],
    [newest, third],
    [third, second],
    [second, first],
  ]);
  for (const request of requests) assert.equal(String(request.headers["webhook-signature"]).split(" ").length, 4);
  const { state, attempts } = await bench.delivery(id);
  assert.deepEqual({ state, attempts }, { state: "delivered", attempts: 1 });
  const places = (await bench.attempts(id)).map(({ number, secret_used }) => [number, secret_used]);
  assert.deepEqual(places, [
    [1, "earlier"],
    [1, "current"],
    [1, "earlier"],
    [1, "earlier"],
  ]);
});

test("a receiver that answers wrong signatures with 500 gets the oldest of three secrets within three attempts", async (t) => {
  const { bench, formId, receiver, secrets } = await rotateOften(t, 2, 500);
  receiver.secret = secrets[1] ?? "";
  const id = await bench.record(formId);
  await bench.settle();
  for (const gap of [minute, 5 * minute]) {
    bench.clock.advance(gap);
    await bench.settle();
  }
  const { state, attempts } = await bench.delivery(id);
  assert.deepEqual({ state, attempts }, { state: "delivered", attempts: 3 });
});

test("a sixth secret is refused until the first has ended, and ending all earlier ones is always possible", async (t) => {
  const { bench, formId, receiver, secrets, started, deliver } = await rotateOften(t, 4);
  const rotation = {
    secret: createWebhookSecret(),
    now: bench.clock.now(),
    previousExpiresAt: bench.clock.now() + window,
  };
  const tryRotation = () =>
    bench.database
      .transaction()
      .execute((transaction) => bench.webhooks.rotate(transaction, benchAccountId, formId, rotation));
  assert.deepEqual(await tryRotation(), { outcome: "too_many", endsAt: started + window });
  // Nothing has changed by it.
  receiver.secret = secrets[0] ?? "";
  assert.equal(await deliver(), "delivered");
  const only = await rotate(bench, formId, false);
  for (const secret of secrets) {
    receiver.secret = secret;
    assert.equal(await deliver(), "failed");
  }
  receiver.secret = only;
  assert.equal(await deliver(), "delivered");
});

test("an answer that comes after a further rotation still says which secret was accepted", async (t) => {
  const answer = Promise.withResolvers<() => void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => {
      if (receiver.requests.length > 1) response.writeHead(204).end();
      else answer.resolve(() => void response.writeHead(204).end());
    },
  });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(receiver.url);
  const second = await rotate(bench, formId);
  await bench.record(formId);
  const start_secret = await findNewest(bench);
  await bench.database.updateTable("delivery_queue").set({ start_secret }).execute();
  bench.worker.start();
  const respond = await answer.promise;
  await rotate(bench, formId);
  respond();
  await bench.settle();
  await bench.record(formId);
  await bench.settle();
  assert.equal(receiver.requests.length, 2);
  for (const { body, headers } of receiver.requests)
    assert.ok(await verifyService([second], Uint8Array.from(body), String(headers["x-service-signature"])));
});
