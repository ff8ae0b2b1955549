import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { verifyService } from "@sealpost/wire";
import { importOpeningKey, open } from "@sealpost/wire/open";
import { addPerson } from "../organizations/testing/test-organization.ts";
import type { Answer as ReceiverAnswer } from "../webhooks/testing/receiver.ts";
import { createWebhookService } from "./testing/webhook-service.ts";

const failing: ReceiverAnswer = (_request, response) => response.writeHead(500).end();

describe("a test send", () => {
  test("a test send arrives signed and sealed to the form's key, says that it is a test, and is answered with its log entry", async (t) => {
    const { account, keys, receiver, path, formId, clock } = await createWebhookService(t);
    const answer = await account.request("POST", path("webhook/test"));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { success, delivery } = answer.body;
    assert.equal(success, true);
    assert.deepEqual(
      { ...delivery, id: undefined, duration: undefined },
      {
        id: undefined,
        event: "submission.created",
        timestamp: clock.now(),
        status: "success",
        statusCode: 204,
        duration: undefined,
        retryCount: 0,
        test: true,
      },
    );
    const [request] = receiver.requests;
    assert.ok(request);
    const { secret } = (await account.request("GET", path("webhook-secret"))).body;
    const body = Uint8Array.from(request.body);
    assert.equal(await verifyService([secret], body, String(request.headers["x-service-signature"])), true);
    const event = JSON.parse(request.body.toString("utf8"));
    assert.equal(event.test, true);
    const { id: submissionId, payload, keyVersion } = event.submission;
    const key = await importOpeningKey(keys.privateKey);
    const opened = await open({ payload, formId: event.form.id, keyVersion, submissionId }, [key]);
    assert.deepEqual(opened.opened && Object.keys(opened.fields), ["name", "email", "message"]);
    assert.equal(event.form.id, formId);
    const { logs } = (await account.request("GET", path("webhook/logs"))).body;
    assert.deepEqual(logs, [delivery]);
    // Nothing of it is stored as a submission.
    assert.equal((await account.request("GET", path("submissions"))).body.total, 0);
  });

  test("a test send of a form without encryption carries plain sample data", async (t) => {
    const { account, receiver, path } = await createWebhookService(t, { settings: { encryption: false } });
    assert.equal((await account.request("POST", path("webhook/test"))).body.success, true);
    const event = JSON.parse(receiver.requests[0]?.body.toString("utf8") ?? "");
    assert.deepEqual([event.submission.payload.encrypted, event.submission.payload.version], [false, "plain1"]);
  });

  test("a test send that fails says so, and is not retried", async (t) => {
    const { account, receiver, path, clock } = await createWebhookService(t, { answer: failing });
    const { status, body } = await account.request("POST", path("webhook/test"));
    assert.equal(status, 200);
    assert.equal(body.success, false);
    assert.deepEqual(
      [body.delivery.status, body.delivery.statusCode, body.delivery.error, body.delivery.nextAttemptAt],
      ["failed", 500, "The receiver answered with an error status (500)", undefined],
    );
    clock.advance(86_400_000);
    await account.request("POST", path("webhook/test"));
    assert.equal(receiver.requests.length, 2, "the second test and no retry of the first");
  });

  test("a test send without a webhook URL is 400, and the eleventh in a minute 429", async (t) => {
    const { account, path } = await createWebhookService(t);
    for (let count = 0; count < 10; count++)
      assert.equal((await account.request("POST", path("webhook/test"))).status, 200);
    const refused = await account.request("POST", path("webhook/test"));
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    await account.request("PATCH", path("").slice(0, -1), { settings: { webhookUrl: null } });
    const { status, body } = await account.request("POST", path("webhook/test"));
    assert.deepEqual([status, body.error], [400, "bad_request"]);
  });

  test("of an organization two tests are under way at once, and a third waits until one has ended or its client has gone", async (t) => {
    const answers: (() => void)[] = [];
    const held = (_request: unknown, response: ServerResponse) => answers.push(() => response.writeHead(204).end());
    const { service, account, path, receiver } = await createWebhookService(t, { answer: held });
    const arrived = async (count: number) => {
      while (receiver.requests.length < count) await new Promise(setImmediate);
    };
    const tests = [1, 2].map(() => account.request("POST", path("webhook/test")));
    await arrived(2);
    // One that nobody waits for any more takes no turn.
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${account.token}` };
    const left = fetch(`${service.url}${path("webhook/test")}`, { method: "POST", headers, signal: leaving.signal });
    const closed = new Promise((resolve) =>
      service.app.server.once("request", (request) => request.once("close", resolve)),
    );
    await new Promise((resolve) => service.app.server.once("request", resolve));
    leaving.abort();
    await assert.rejects(left);
    await closed;
    const third = account.request("POST", path("webhook/test"));
    await account.request("GET", path("webhook/logs"));
    assert.equal(receiver.requests.length, 2);
    for (const answer of answers.splice(0)) answer();
    assert.deepEqual(
      (await Promise.all(tests)).map(({ body }) => body.success),
      [true, true],
    );
    await arrived(3);
    for (const answer of answers) answer();
    assert.equal((await third).body.success, true);
    assert.equal(receiver.requests.length, 3);
  });

  test("a person sends twenty tests a minute to one host, and all persons together 240, but for those who come with their first", async (t) => {
    const { account, service, receiver } = await createWebhookService(t);
    const ask = async (asking: typeof account, name: string) => {
      const settings = { webhookUrl: receiver.url, encryption: false };
      const made = await asking.request("POST", "/api/forms", { name, settings });
      const statuses = [];
      for (let sent = 0; sent < 10; sent++)
        statuses.push((await asking.request("POST", `/api/forms/${made.body.form.id}/webhook/test`)).status);
      return statuses.filter((status) => status === 200).length;
    };
    for (let person = 0; person < 12; person++) {
      const asking = person === 0 ? account : await service.signUp(`person${person}@example.com`);
      assert.deepEqual([await ask(asking, "One"), await ask(asking, "Two")], [10, 10]);
      if (person === 0) assert.equal(await ask(asking, "Three"), 0);
    }
    assert.equal(await ask(await service.signUp("late@example.com"), "Late"), 1);
    assert.equal(receiver.requests.length, 241);
  });

  test("a host that a redirect leads to counts as one that a test is sent to", async (t) => {
    const { account, receiver } = await createWebhookService(t, {
      resolve: async () => ["127.0.0.1"],
      answer: (request, response) => {
        // The same server by another name: another host.
        const isTarget = String(request.headers.host).startsWith("receiver.example");
        const location = `https://receiver.example:${String(request.headers.host).split(":")[1]}/`;
        response.writeHead(isTarget ? 204 : 307, isTarget ? {} : { location }).end();
      },
    });
    const successes: boolean[] = [];
    for (const name of ["One", "Two", "Three"]) {
      const settings = { webhookUrl: receiver.url, encryption: false };
      const made = await account.request("POST", "/api/forms", { name, settings });
      for (let sent = 0; sent < 8; sent++) {
        const { status, body } = await account.request("POST", `/api/forms/${made.body.form.id}/webhook/test`);
        if (status === 200) successes.push(body.success);
      }
    }
    const arrived = receiver.requests.filter(({ headers }) => String(headers.host).startsWith("receiver.example"));
    assert.deepEqual([arrived.length, successes.filter(Boolean).length], [20, 20]);
  });

  test("a developer's tests use up none of the owner's", async (t) => {
    const { account, service, path, formId } = await createWebhookService(t);
    const forms = [formId];
    const developer = await addPerson(service, account, "developer@example.com", { role: "developer", forms });
    const send = async (by: typeof account) => (await by.request("POST", path("webhook/test"))).status;
    for (let sent = 0; sent < 10; sent++) assert.equal(await send(developer), 200);
    assert.deepEqual([await send(developer), await send(account)], [429, 200]);
  });
});

test("a receiver whose address is taken away while it answers is not sent to again, wherever it redirects", async (t) => {
  let takeAway = async () => {};
  const redirecting: ReceiverAnswer = (_request, response) =>
    void takeAway().then(() => response.writeHead(307, { location: "/elsewhere" }).end());
  const { account, receiver, path, requestEnded } = await createWebhookService(t, { answer: redirecting });
  const form = path("").slice(0, -1);
  takeAway = async () => {
    assert.equal((await account.request("PATCH", form, { settings: { webhookUrl: null } })).status, 200);
  };
  const ended = requestEnded();
  assert.equal((await account.request("PATCH", form, { name: "Renamed" })).status, 200);
  await ended;
  // Until another request could have begun, had it been allowed.
  for (let turn = 0; turn < 20; turn++) await account.request("GET", form);
  assert.deepEqual(
    receiver.requests.map((request) => request.path),
    ["/hook"],
  );
});

describe("the log", () => {
  test("the delivery log shows a failed delivery with when it is tried again, its attempts, and what was sent", async (t) => {
    const { account, receiver, path, clock, requestEnded } = await createWebhookService(t, { answer: failing });
    const ended = requestEnded();
    // Any change of the form is an event.
    await account.request("PATCH", path("").slice(0, -1), { name: "Renamed" });
    await ended;
    const [line] = (await account.request("GET", path("webhook/logs"))).body.logs;
    assert.deepEqual(
      [line.event, line.status, line.statusCode, line.retryCount, line.nextAttemptAt >= clock.now() + 60_000],
      ["form.updated", "failed", 500, 0, true],
    );
    const { log } = (await account.request("GET", path(`webhook/logs/${line.id}`))).body;
    const { attempts, body, ...rest } = log;
    assert.deepEqual(rest, line);
    const sent = receiver.requests[0]?.body.toString("utf8") ?? "";
    assert.equal(body, sent);
    assert.deepEqual(JSON.parse(sent).changes, { name: "Renamed" });
    assert.deepEqual(
      attempts.map((attempt: { number: number; statusCode: number; url: string }) => [
        attempt.number,
        attempt.statusCode,
        attempt.url,
      ]),
      [[1, 500, receiver.url]],
    );
  });

  test("the delivery log has pages and filters, and refuses unknown parameters", async (t) => {
    const { account, path } = await createWebhookService(t);
    for (let count = 0; count < 3; count++) await account.request("POST", path("webhook/test"));
    const first = (await account.request("GET", path("webhook/logs?limit=2"))).body;
    assert.equal(first.logs.length, 2);
    const second = (await account.request("GET", path(`webhook/logs?limit=2&cursor=${first.nextCursor}`))).body;
    assert.deepEqual([second.logs.length, second.nextCursor], [1, null]);
    assert.equal(new Set([...first.logs, ...second.logs].map(({ id }) => id)).size, 3);
    assert.equal((await account.request("GET", path("webhook/logs?status=failed"))).body.logs.length, 0);
    for (const query of ["limit=0", "limit=101", "status=maybe", "cursor=x", "more=1"])
      assert.equal((await account.request("GET", path(`webhook/logs?${query}`))).status, 400, query);
  });

  test("a key without submissions:read sees the attempts and not what was sent", async (t) => {
    const { account, service, path } = await createWebhookService(t);
    const { delivery } = (await account.request("POST", path("webhook/test"))).body;
    const made = await account.request("POST", "/api/api-keys", { name: "Reader", permissions: ["forms:read"] });
    const token: string = made.body.key.key;
    const { status, body } = await service.request("GET", path(`webhook/logs/${delivery.id}`), { token });
    assert.equal(status, 200);
    assert.equal(body.log.attempts.length, 1);
    assert.ok(!("body" in body.log));
    const resend = await service.request("POST", path(`webhook/logs/${delivery.id}/resend`), { token });
    assert.equal(resend.status, 403);
  });
});

describe("a resend", () => {
  test("a resend is accepted with 202 and arrives as a new delivery of the same bytes", async (t) => {
    const { account, receiver, path, requestEnded } = await createWebhookService(t);
    const { delivery } = (await account.request("POST", path("webhook/test"))).body;
    const ended = requestEnded();
    const { status, body } = await account.request("POST", path(`webhook/logs/${delivery.id}/resend`));
    assert.equal(status, 202);
    assert.notEqual(body.delivery.id, delivery.id);
    await ended;
    assert.equal((await account.request("GET", path("webhook/logs"))).body.logs.length, 2);
    assert.deepEqual(receiver.requests[1]?.body, receiver.requests[0]?.body);
    assert.equal(receiver.requests[1]?.headers["webhook-id"], body.delivery.id);
  });
});

test("each request that went out is in the log: also the one on a kept connection that was closed before an answer came", async (t) => {
  const { account, receiver, path } = await createWebhookService(t, {
    answer: (_request, response, count) => (count === 2 ? response.socket?.destroy() : response.writeHead(204).end()),
  });
  const send = async () => (await account.request("POST", path("webhook/test"))).body;
  assert.equal((await send()).success, true);
  const { success, delivery } = await send();
  assert.deepEqual([success, delivery.statusCode, delivery.retryCount], [true, 204, 0]);
  assert.equal(receiver.requests.length, 3);
  const { attempts } = (await account.request("GET", path(`webhook/logs/${delivery.id}`))).body.log;
  const shown = attempts.map(({ number, statusCode, error, repeatReason }: Record<string, unknown>) => [
    number,
    statusCode ?? error,
    repeatReason,
  ]);
  assert.deepEqual(shown, [
    [1, "The connection was closed before an answer came", undefined],
    [1, 204, "connection_closed"],
  ]);
});

describe("the secret", () => {
  test("rotates: a new one at once, the one before for 24 h or not at all", async (t) => {
    const { service, account, path, clock } = await createWebhookService(t);
    const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
    const first = (await account.request("GET", path("webhook-secret"))).body;
    assert.deepEqual(Object.keys(first), ["secret"]);
    const rotated = (await account.request("POST", path("webhook-secret/rotate"))).body;
    assert.notEqual(rotated.secret, first.secret);
    assert.equal(rotated.previousSecretExpiresAt, clock.now() + 86_400_000);
    assert.deepEqual((await account.request("GET", path("webhook-secret"))).body, rotated);
    const revoked = (await account.request("POST", path("webhook-secret/rotate"), { revokePrevious: true })).body;
    assert.equal(revoked.previousSecretExpiresAt, clock.now());
    assert.deepEqual((await account.request("GET", path("webhook-secret"))).body, { secret: revoked.secret });
    await account.request("POST", path("webhook-secret/rotate"), {});
    clock.advance(86_400_000);
    // The session is too old for a secret by then.
    const late = await service.request("GET", path("webhook-secret"), { token: key });
    assert.deepEqual(Object.keys(late.body), ["secret"]);
    for (const body of [{ revokePrevious: "yes" }, { more: 1 }, []])
      assert.equal((await account.request("POST", path("webhook-secret/rotate"), body)).status, 400);
  });
});

test("a double click on rotating keeps the secret before for its 24 h; a sixth valid one is refused with when to try again", async (t) => {
  const { account, path, clock } = await createWebhookService(t);
  const rotate = (body?: object) => account.request("POST", path("webhook-secret/rotate"), body);
  const started = clock.now();
  const clicks = await Promise.all([rotate(), rotate()]);
  for (const { status } of clicks) assert.equal(status, 200);
  clock.advance(1000);
  const third = (await rotate()).body;
  assert.deepEqual(
    third.earlierSecretsExpireAt,
    [1000, 0, 0].map((later) => started + later + 86_400_000),
  );
  assert.deepEqual((await account.request("GET", path("webhook-secret"))).body, third);
  await rotate();
  const refused = await rotate();
  assert.deepEqual([refused.status, refused.body.error], [409, "conflict"]);
  assert.ok(refused.body.message.includes(new Date(started + 86_400_000).toISOString()), refused.body.message);
  assert.equal((await rotate({ revokePrevious: true })).status, 200);
  assert.deepEqual(Object.keys((await account.request("GET", path("webhook-secret"))).body), ["secret"]);
});

test("another account's webhook is not found, like one that does not exist", async (t) => {
  const { account, service, path } = await createWebhookService(t);
  const { delivery } = (await account.request("POST", path("webhook/test"))).body;
  const stranger = await service.signUp();
  for (const [method, rest, message] of [
    ["GET", "webhook-secret", "Form not found"],
    ["POST", "webhook-secret/rotate", "Form not found"],
    ["POST", "webhook/test", "Form not found"],
    ["GET", "webhook/logs", "Form not found"],
    ["GET", `webhook/logs/${delivery.id}`, "Form not found"],
    ["POST", `webhook/logs/${delivery.id}/resend`, "Form not found"],
  ] as const) {
    const { status, body } = await stranger.request(method, path(rest));
    assert.deepEqual([status, body.message], [404, message], rest);
  }
  for (const rest of ["webhook/logs/dlv_01hk153x00e5rbcwg8rxcnh8w6", "webhook/logs/x"]) {
    const { status, body } = await account.request("GET", path(rest));
    assert.deepEqual([status, body.message], [404, "Delivery not found"]);
  }
});
