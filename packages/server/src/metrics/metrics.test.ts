import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createOperator } from "../operators/testing/test-operator.ts";
import { isClockTrusted } from "../retention/clock-guard-store.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day, hourMilliseconds as hour } from "../time/clock.ts";
import { type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { readBacklog } from "./backlog-store.ts";
import { parseExposition } from "./testing/exposition.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const token = "a-token-of-our-own-0123456789";
const environment = { SEALPOST_METRICS_TOKEN: token, SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };

async function read(service: TestService) {
  const { status, headers, body } = await service.request("GET", "/metrics", { token });
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  return { text: body as string, ...parseExposition(body) };
}

test("without SEALPOST_METRICS_TOKEN there is no /metrics for anybody", async (t) => {
  const service = await createTestService(t);
  assert.equal((await service.request("GET", "/metrics", { token })).status, 404);
});

test("who does not know the token gets 401 and no number", async (t) => {
  const service = await createTestService(t, { environment });
  for (const wrong of [undefined, "", "x", `${token}x`, token.slice(1), token.toUpperCase()]) {
    const { status, body } = await service.request("GET", "/metrics", { token: wrong });
    assert.deepEqual([status, body.error], [401, "unauthorized"]);
  }
  const account = await service.signUp();
  assert.equal((await account.request("GET", "/metrics")).status, 401, "an account is not the operator");
});

async function createScene(t: TestContext) {
  let settled = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response, count) => response.writeHead(count === 1 ? 204 : count === 2 ? 410 : 503).end(),
  });
  const service = await createTestService(t, {
    environment,
    deliveries: {
      ca: authority.ca,
      observe: ({ kind }) => kind === "idle" && settled.resolve(),
    },
  });
  const account = await service.signUp("owner@example.com");
  return {
    service,
    account,
    receiver,
    async settle() {
      settled = Promise.withResolvers();
      await settled.promise;
    },
  };
}

test("submissions and deliveries are counted by outcome, and nothing of their content is shown", async (t) => {
  const { service, account, receiver, settle } = await createScene(t);
  const form = await createForm(account, { encryption: false, webhookUrl: receiver.url }, "A form of secrets");
  const path = `/api/forms/${form}/submissions`;
  for (let count = 0; count < 3; count++) {
    await postPlain(service, form, { message: "canary-content" });
    while (receiver.requests.length <= count) await settle();
  }
  const stored = await account.request("GET", path);
  const [{ id, payload }] = stored.body.submissions;
  const post = (body: unknown, headers = {}) => service.request("POST", path, { body, headers });
  assert.equal((await post({ id, payload, keyVersion: 1 })).status, 200);
  assert.equal((await post({ id, payload: { ...payload, fields: {} }, keyVersion: 1 })).status, 409);
  assert.equal((await post({})).status, 400);
  assert.equal((await post("x".repeat(1_048_577))).status, 413);
  const trapped = await service.request("POST", `/f/${form}`, {
    body: "_gotcha=1&message=hello",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(trapped.status, 303);
  assert.equal((await service.request("POST", "/api/forms/form_nowhere/submissions", { body: {} })).status, 404);
  await settle();

  const { text, value, types } = await read(service);
  const submissions = (outcome: string) => value("sealpost_submissions_total", { outcome });
  assert.deepEqual(
    ["accepted", "repeated", "conflict", "invalid", "too_large", "form_not_found", "rate_limited", "failed"].map(
      submissions,
    ),
    [3, 1, 1, 2, 1, 1, 0, 0],
  );
  assert.equal(value("sealpost_ingest_seconds_count"), 5);
  assert.equal(value("sealpost_ingest_seconds_bucket", { le: "+Inf" }), 5);
  assert.equal(value("sealpost_ingest_batch_size_sum"), 5, "each in a commit");
  assert.ok((value("sealpost_ingest_batch_size_count") ?? 0) <= 5);
  for (const outcome of ["2xx", "4xx", "5xx"])
    assert.equal(value("sealpost_webhook_requests_total", { outcome }), 1, outcome);
  assert.equal(value("sealpost_webhook_request_seconds_count"), 3);
  assert.equal(value("sealpost_deliveries_total", { outcome: "delivered" }), 1);
  assert.equal(value("sealpost_deliveries_total", { outcome: "refused" }), 1);
  assert.equal(value("sealpost_deliveries_due"), 0);
  for (const name of ["deliveries_oldest_due_seconds", "mails_waiting", "mails_oldest_seconds"])
    assert.equal(value(`sealpost_${name}`), 0, name);
  assert.ok((value("process_resident_memory_bytes") ?? 0) > 1_000_000);
  assert.equal(types.get("nodejs_eventloop_lag_p99_seconds"), "gauge");
  for (const word of ["canary-content", form, id, account.id, "owner@example.com", "A form of secrets", "127.0.0.1"])
    assert.equal(text.includes(word), false, word);
});

test("deliveries that nobody sends are reported as due, with the age of the oldest", async (t) => {
  const service = await createTestService(t);
  const form = await createForm(await service.signUp());
  // Inside a transaction that is not committed, so that no worker takes them.
  const now = Date.now();
  const rows = [1, 2, 3].map((number) => ({
    ...{ delivery_id: `dlv_${number}`, form_id: form, destination: "acc host:443", attempt: 1, claims: 0 },
    due_at: now - number * 60_000,
  }));
  await service.database.transaction().execute(async (transaction) => {
    await transaction.insertInto("delivery_queue").values(rows).execute();
    assert.deepEqual(await readBacklog(transaction, now - 100_000), {
      ...{ due: 2, oldestDueAt: now - 180_000 },
      ...{ emails: 0, oldestMailAt: undefined },
    });
    await transaction.deleteFrom("delivery_queue").execute();
  });
});

test("emails that can't be sent are reported as waiting, with the age of the oldest", async (t) => {
  const service = await createTestService(t, { environment });
  const now = Date.now();
  const mail = { kind: "keys_rotated", account_id: (await service.signUp()).id, details: "{}", attempts: 1 };
  const times = { created_at: now - 60_000, due_at: now + 60_000, expires_at: now + 120_000 };
  const sent = { finished_at: now, created_at: now - 600_000 };
  for (const more of [{}, { created_at: now }, sent])
    await service.database
      .insertInto("mail")
      .values({ id: crypto.randomUUID(), ...mail, ...times, ...more })
      .execute();
  const { value } = await read(service);
  assert.equal(value("sealpost_mails_waiting"), 2);
  const seconds = value("sealpost_mails_oldest_seconds") ?? 0;
  assert.ok(seconds >= 60 && seconds < 600, String(seconds));
});

test("a clock that jumped is reported until it is trusted again, by the metrics and to operators", async (t) => {
  const service = await createTestService(t, { environment });
  const operator = await createOperator(service);
  const jumps: Readonly<Record<string, readonly [by: number, waits: number]>> = {
    ahead: [365 * day, day],
    "set back": [-2 * hour, 2 * hour],
  };
  let now = Date.now();
  for (const [name, [by, waits]] of Object.entries(jumps)) {
    const waited = async (at: number) => {
      await isClockTrusted(service.database, at);
      const { body } = await service.request("GET", "/metrics", { token });
      return Number(/^sealpost_clock_wait_seconds (\S+)$/m.exec(body)?.[1]);
    };
    assert.equal(await waited(now), 0, name);
    assert.equal(await waited(now + by), waits / 1000, name);
    assert.equal(await waited(now + by + hour / 2), (waits - hour / 2) / 1000, name);
    const { checks } = (await operator.request("GET", "/api/instance")).body;
    assert.match(JSON.stringify(checks), /The clock went from .* nothing is deleted for its age before/, name);
    now += 2 * hour;
    assert.equal(await waited(now), 0, "set right");
  }
});
