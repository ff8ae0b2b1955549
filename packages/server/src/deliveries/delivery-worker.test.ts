import assert from "node:assert/strict";
import { before, describe, type TestContext, test } from "node:test";
import { verifyService, verifyStandard } from "@sealpost/wire";
import { type Answer, type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { gapsMilliseconds } from "./delivery.ts";
import { benchAccountId, createDeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

/** Answers with these statuses, one after the other, and with 204 from then on. */
const statuses =
  (...list: readonly number[]): Answer =>
  (_request, response, count) =>
    response.writeHead(list[count - 1] ?? 204).end();

describe("a delivery", () => {
  test("a delivery arrives once, signed, with the bytes of its event, and leaves the queue", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const bench = await createDeliveryBench(t, { authority });
    const { formId, secret } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();

    const [request, ...more] = receiver.requests;
    assert.ok(request !== undefined && more.length === 0);
    const body = Uint8Array.from(request.body);
    const headers = request.headers as Record<string, string>; // none of ours is given twice
    assert.equal(await verifyService([secret], body, headers["x-service-signature"] ?? ""), true);
    const standard = {
      id: headers["webhook-id"] ?? "",
      timestamp: headers["webhook-timestamp"] ?? "",
      signature: headers["webhook-signature"] ?? "",
    };
    assert.equal(await verifyStandard([secret], standard, body, bench.clock.now()), "valid");
    assert.equal(headers["x-service-delivery-id"], id);
    assert.equal(headers["x-service-event"], "submission.deleted");
    const event = JSON.parse(request.body.toString("utf8"));
    assert.equal(String(event.timestamp), headers["x-service-timestamp"]);
    assert.deepEqual(Object.keys(event), ["event", "timestamp", "form", "submission"]);
    assert.deepEqual(event.form, { id: formId, name: "Kontakt – Zoë" });

    assert.deepEqual(await bench.queue(), []);
    const { state, attempts, last_status, last_error, finished_at, next_attempt_at } = await bench.delivery(id);
    assert.deepEqual(
      { state, attempts, last_status, last_error, finished_at, next_attempt_at },
      {
        state: "delivered",
        attempts: 1,
        last_status: 204,
        last_error: null,
        finished_at: bench.clock.now(),
        next_attempt_at: null,
      },
    );
    assert.deepEqual(bench.errors, []);
  });

  test("a delivery that always fails is sent six times over 26 h 36 min, to the millisecond, with the same id and body", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good, answer: statuses(...Array(9).fill(503)) });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    let elapsed = 0;
    for (let attempt = 2; attempt <= 6; attempt++) {
      const gap = gapsMilliseconds[attempt - 1] ?? Number.NaN;
      const row = await bench.delivery(id);
      assert.equal(row.state, "waiting");
      assert.equal(row.last_error, "status");
      assert.equal(row.next_attempt_at, bench.clock.now() + gap);
      bench.clock.advance(gap - 1);
      await bench.settle();
      assert.equal(receiver.requests.length, attempt - 1, "a millisecond too early");
      bench.clock.advance(1);
      await bench.settle();
      assert.equal(receiver.requests.length, attempt);
      elapsed += gap;
    }
    assert.equal(elapsed, (26 * 60 + 36) * 60_000);
    const { state, attempts } = await bench.delivery(id);
    assert.deepEqual({ state, attempts }, { state: "failed", attempts: 6 });
    assert.deepEqual(await bench.queue(), []);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.equal(new Set(receiver.requests.map(({ body }) => body.toString())).size, 1);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers["webhook-timestamp"])).size, 6);
    assert.deepEqual(
      (await bench.attempts(id)).map(({ number, status_code, error }) => [number, status_code, error]),
      [1, 2, 3, 4, 5, 6].map((number) => [number, 503, "status"]),
    );
    bench.clock.advance(365 * 86_400_000);
    await bench.settle();
    assert.equal(receiver.requests.length, 6);
  });

  test("a delivery that is refused is never sent again", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good, answer: statuses(404) });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    bench.clock.advance(365 * 86_400_000);
    await bench.settle();
    assert.equal(receiver.requests.length, 1);
    const { state, last_status } = await bench.delivery(id);
    assert.deepEqual({ state, last_status }, { state: "failed", last_status: 404 });
  });

  test("a delivery to an address that is forbidden now is kept, without a connection, and arrives once it is allowed", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    let addresses = ["127.0.0.1", "10.0.0.1"];
    const bench = await createDeliveryBench(t, { authority, resolve: async () => addresses });
    const { formId } = await bench.createWebhook(`https://receiver.example:${receiver.port}/`);
    bench.worker.start();
    const id = await bench.record(formId);
    for (const gap of [0, 60_000, 300_000, 1_800_000, 7_200_000]) {
      bench.clock.advance(gap * 1.1);
      await bench.settle();
      const { state, last_error } = await bench.delivery(id);
      assert.deepEqual([state, last_error], ["waiting", "address_not_allowed"]);
    }
    assert.equal(receiver.connections(), 0);
    addresses = ["127.0.0.1"];
    bench.clock.advance(86_400_000 * 1.1);
    await bench.settle();
    const { state, attempts } = await bench.delivery(id);
    assert.deepEqual([state, attempts], ["delivered", 6]);
  });

  test("a delivery to an address that stays forbidden ends after six attempts, without a connection", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good });
    const bench = await createDeliveryBench(t, { authority, resolve: async () => ["127.0.0.1", "10.0.0.1"] });
    const { formId } = await bench.createWebhook(`https://receiver.example:${receiver.port}/`);
    bench.worker.start();
    const id = await bench.record(formId);
    for (let attempt = 1; attempt <= 6; attempt++) {
      await bench.settle();
      bench.clock.advance(86_400_000 * 1.1);
    }
    const { state, attempts, last_error } = await bench.delivery(id);
    assert.deepEqual([state, attempts, last_error], ["failed", 6, "address_not_allowed"]);
    assert.equal(receiver.connections(), 0);
  });

  test("a delivery without a webhook URL is not made, and one whose URL was removed ends without a request", async (t) => {
    const receiver = await startReceiver(t, { certificate: authority.good, answer: statuses(500) });
    const bench = await createDeliveryBench(t, { authority });
    const { formId: silent } = await bench.createWebhook(null);
    assert.deepEqual(await bench.recordMany(silent, 2), []);
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    await bench.database.updateTable("webhook").set({ url: null, destination: null }).execute();
    bench.clock.advance(60_000);
    await bench.settle();
    const { state, last_error, attempts } = await bench.delivery(id);
    assert.deepEqual({ state, last_error, attempts }, { state: "failed", last_error: "url_removed", attempts: 1 });
    assert.equal(receiver.requests.length, 1);
    assert.deepEqual(await bench.queue(), []);
  });

  test("a delivery goes to the URL that the form has when it is sent, and moves to that host's place in the queue", async (t) => {
    const old = await startReceiver(t, { certificate: authority.good, answer: statuses(500) });
    const fresh = await startReceiver(t, { certificate: authority.good, answer: statuses(500) });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(old.url);
    bench.worker.start();
    await bench.record(formId);
    await bench.settle();
    await bench.database
      .updateTable("webhook")
      .set({ url: fresh.url, destination: `127.0.0.1:${fresh.port} ${benchAccountId}` })
      .execute();
    bench.clock.advance(60_000);
    await bench.settle();
    assert.deepEqual([old.requests.length, fresh.requests.length], [1, 1]);
    assert.deepEqual(
      (await bench.queue()).map(({ destination }) => destination),
      [`127.0.0.1:${fresh.port} ${benchAccountId}`],
    );
  });
});

describe("redirects", () => {
  test("redirects are followed as POST with the same bytes and id, each a fresh attempt, and the retry starts at the form's URL", async (t) => {
    const target = await startReceiver(t, { certificate: authority.good, answer: statuses(500, 200) });
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response, count) =>
        response.writeHead([301, 302, 303, 307, 308][count - 1] ?? 204, { location: target.url }).end(),
    });
    const bench = await createDeliveryBench(t, { authority });
    const { formId, secret } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    assert.deepEqual([receiver.requests.length, target.requests.length], [1, 1]);
    assert.equal((await bench.delivery(id)).next_attempt_at, bench.clock.now() + 5 * 60_000);
    bench.clock.advance(5 * 60_000);
    await bench.settle();
    assert.deepEqual([receiver.requests.length, target.requests.length], [2, 2]);
    assert.equal((await bench.delivery(id)).state, "delivered");
    for (const request of target.requests) {
      assert.equal(request.method, "POST");
      assert.deepEqual(request.body, receiver.requests[0]?.body);
      assert.equal(request.headers["webhook-id"], id);
      const body = Uint8Array.from(request.body);
      assert.equal(await verifyService([secret], body, String(request.headers["x-service-signature"])), true);
    }
    assert.deepEqual(
      (await bench.attempts(id)).map(({ number, status_code, url, error }) => [number, status_code, url, error]),
      [
        [1, 301, receiver.url, "redirected"],
        [2, 500, target.url, "status"],
        [3, 302, receiver.url, "redirected"],
        [4, 200, target.url, null],
      ],
    );
  });

  /** As Google Apps Script: the event is taken, and the answer is a page elsewhere that only a GET gets. */
  async function startScript(t: TestContext, status: number, page: (method: string) => number) {
    const target = await startReceiver(t, {
      certificate: authority.good,
      answer: ({ method }, response) => void response.writeHead(page(method ?? "")).end(),
    });
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => void response.writeHead(status, { location: target.url }).end(),
    });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const send = async () => {
      const id = await bench.record(formId);
      await bench.settle();
      const { state, last_error } = await bench.delivery(id);
      return [state, last_error];
    };
    const setRedirects = (redirects: "post" | "get") =>
      bench.database
        .transaction()
        .execute((transaction) => bench.webhooks.setRedirects(transaction, formId, redirects));
    return { target, receiver, send, setRedirects };
  }

  for (const status of [302, 303])
    test(`a receiver that answers with ${status} and a page for GET is suggested the setting, and with it has delivered`, async (t) => {
      const { target, receiver, send, setRedirects } = await startScript(t, status, (method) =>
        method === "GET" ? 200 : 405,
      );
      assert.deepEqual(await send(), ["failed", "answers_by_redirect"]);
      await setRedirects("get");
      assert.deepEqual(await send(), ["delivered", null]);
      assert.equal(receiver.requests.length, 2);
      const { method, headers, body } = target.requests.at(-1) ?? assert.fail();
      assert.deepEqual([method, body.length], ["GET", 0]);
      const names = Object.keys(headers).filter((name) => !/^(host|connection|user-agent|accept-encoding)$/.test(name));
      assert.deepEqual(names, [], "neither the event nor a signature goes there");
    });

  test("a page of a redirect that fails is no delivery, and one to a sign-in counts for nobody who did not ask for it", async (t) => {
    const { send, setRedirects } = await startScript(t, 302, (method) => (method === "GET" ? 500 : 404));
    assert.deepEqual(await send(), ["failed", "status"]);
    await setRedirects("get");
    assert.deepEqual(await send(), ["waiting", "status"]);
  });

  test("redirects to a forbidden address are not followed, and each is a failed attempt", async (t) => {
    for (const redirects of ["post", "get"] as const) {
      const receiver = await startReceiver(t, {
        certificate: authority.good,
        answer: (_request, response) => void response.writeHead(302, { location: "https://169.254.169.254/" }).end(),
      });
      const bench = await createDeliveryBench(t, { authority });
      const { formId } = await bench.createWebhook(receiver.url);
      await bench.database
        .transaction()
        .execute((transaction) => bench.webhooks.setRedirects(transaction, formId, redirects));
      bench.worker.start();
      const id = await bench.record(formId);
      for (const [state, attempts] of [
        ["waiting", 2],
        ["waiting", 4],
        ["failed", 6],
      ]) {
        await bench.settle();
        const row = await bench.delivery(id);
        assert.deepEqual(
          [row.state, row.attempts, row.last_error],
          [state, attempts, "address_not_allowed"],
          redirects,
        );
        bench.clock.advance(86_400_000 * 1.1);
      }
      assert.equal(receiver.requests.length, 3, redirects);
    }
  });

  test("redirects in a circle end after six requests", async (t) => {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => response.writeHead(302, { location: "/hook" }).end(),
    });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    assert.equal(receiver.requests.length, 6);
    const { state, attempts, last_error } = await bench.delivery(id);
    assert.deepEqual({ state, attempts, last_error }, { state: "failed", attempts: 6, last_error: "redirected" });
  });

  test("redirects without a usable address are a failed attempt", async (t) => {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => response.writeHead(302, { location: "http://127.0.0.1/" }).end(),
    });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    const { state, attempts, last_error, next_attempt_at } = await bench.delivery(id);
    assert.deepEqual(
      { state, attempts, last_error, next_attempt_at },
      { state: "waiting", attempts: 1, last_error: "redirect_unusable", next_attempt_at: bench.clock.now() + 60_000 },
    );
  });
});

describe("Retry-After", () => {
  test("Retry-After of a 503 is heeded", async (t) => {
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => response.writeHead(503, { "retry-after": "90" }).end(),
    });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await bench.settle();
    assert.equal((await bench.delivery(id)).next_attempt_at, bench.clock.now() + 90_000);
  });
});

describe("stopping", () => {
  test("stopping the worker gives a delivery in flight back unsent, due at once, and uses up nothing", async (t) => {
    const arrived = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, { certificate: authority.good, answer: () => arrived.resolve() });
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    await arrived.promise;
    await bench.worker.stop();
    assert.deepEqual(
      (await bench.queue()).map(({ attempt, claims, claim_token, due_at }) => [attempt, claims, claim_token, due_at]),
      [[1, 0, null, bench.clock.now()]],
    );
    assert.deepEqual(
      (await bench.attempts(id)).map(({ error, duration }) => [error, duration]),
      [["interrupted", null]],
    );
    assert.equal((await bench.delivery(id)).attempts, 0);
  });

  test("stopping the worker waits for a request in flight within its grace, and claims nothing more", async (t) => {
    const arrived = Promise.withResolvers<() => void>();
    const receiver = await startReceiver(t, {
      certificate: authority.good,
      answer: (_request, response) => arrived.resolve(() => void response.writeHead(204).end()),
    });
    const bench = await createDeliveryBench(t, { authority, graceMilliseconds: 60_000 });
    const { formId } = await bench.createWebhook(receiver.url);
    bench.worker.start();
    const id = await bench.record(formId);
    const answer = await arrived.promise;
    const stopped = bench.worker.stop();
    const late = await bench.record(formId);
    answer();
    await stopped;
    assert.equal((await bench.delivery(id)).state, "delivered");
    assert.equal((await bench.delivery(late)).state, "waiting");
    assert.equal(receiver.requests.length, 1);
  });

  test("what waits for its host is given back at once, and neither a request nor an interruption", async (t) => {
    const { bench, receiver, ids, full } = await holdFour(t);
    await full;
    await bench.worker.stop();
    assert.equal(receiver.requests.length, 5);
    assert.deepEqual(
      (await bench.queue()).map(({ claims, claim_token }) => [claims, claim_token]),
      ids.map(() => [0, null]),
    );
    const errors = (await Promise.all(ids.map((id) => bench.attempts(id)))).flat().map(({ error }) => error);
    assert.deepEqual(errors, new Array(4).fill("interrupted"));
  });
});

test("what waits for a host that becomes slow is given back, and sent once it is due again", async (t) => {
  const { bench, receiver, ids, held, full } = await holdFour(t);
  await full;
  bench.clock.advance(6000);
  let left = 4;
  const givenBack = bench.signal(
    (said) => said.kind === "request_ended" && said.completion.isUnsent === true && --left === 0,
  );
  held.shift()?.();
  await givenBack;
  assert.equal(receiver.requests.length, 5);
  assert.equal((await bench.queue()).filter(({ claim_token }) => claim_token !== null).length, 3);
  for (const answer of held) answer();
  held.length = 0;
  await bench.settle();
  const attempts = (await Promise.all(ids.map((id) => bench.attempts(id)))).flat();
  assert.deepEqual(
    attempts.map(({ error, status_code }) => [error, status_code]),
    ids.map(() => [null, 204]),
  );
  assert.deepEqual(await bench.queue(), []);
});

/** Ten deliveries to a host known as quick that holds the first four requests: four more are claimed and wait. `full`: it has them. */
async function holdFour(t: TestContext) {
  const held: (() => void)[] = [];
  const { promise: full, resolve } = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response, count) => {
      if (count === 1 || count > 5) return void response.writeHead(204).end();
      held.push(() => void response.writeHead(204).end());
      if (held.length === 4) resolve();
    },
  });
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(receiver.url);
  bench.worker.start();
  await bench.record(formId);
  await bench.settle();
  const ids = await bench.recordMany(formId, 10);
  return { bench, receiver, ids, held, full };
}
