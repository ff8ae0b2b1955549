import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { elsewhere, wideNetworks } from "../rate-limits/testing/wide-networks.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import type { ConnectionLimits } from "./connections.ts";

const sentBytes = 59_000;
const boundBytes = 150_000;
const heldMax = Math.floor(boundBytes / sentBytes);
const connectionsEach = 5;
/** Far above what a test takes: only the bound ends a body. */
const patient = { requestMilliseconds: 60_000, standstillMilliseconds: 60_000, checkMilliseconds: 20 };

async function start(t: TestContext, connections: Partial<ConnectionLimits>, environment = {}) {
  const service = await createTestService(t, { connections: { ...patient, ...connections }, environment });
  const account = await service.signUp();
  return { service, account, formId: await createForm(account, { encryption: false }) };
}

interface Upload {
  readonly socket: Socket;
  /** The beginning of the answer, once there is one. */
  answer: string;
}

/** Sends all of a body but its end, and never that. */
async function holdBack(
  t: TestContext,
  { url }: TestService,
  method: string,
  path: string,
  headers: readonly string[] = [],
): Promise<Upload> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  const upload: Upload = { socket, answer: "" };
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    upload.answer += data.toString("latin1");
  });
  await once(socket, "connect");
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: a",
    "Content-Type: application/json",
    `Content-Length: ${sentBytes + 10}`,
    ...headers,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{"a":"${"a".repeat(sentBytes - 6)}`);
  return upload;
}

/** Waits until no more than so many have no answer. */
async function untilAnswered(uploads: readonly Upload[], unansweredMax: number): Promise<void> {
  for (;;) {
    const open = uploads.filter(({ answer, socket }) => answer === "" && !socket.closed);
    if (open.length <= unansweredMax) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const { socket } of open) {
      socket.once("data", () => resolve());
      socket.once("close", () => resolve());
    }
    await promise;
  }
}

function operationsWithBody({ app }: TestService, formId: string): Array<{ method: string; path: string }> {
  const { paths = {} } = app.swagger();
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, { requestBody?: unknown }>)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
  return [...documented, { method: "POST", path: "/f/{form_id}" }].map(({ method, path }) => ({
    method,
    path: path.replace("{form_id}", formId).replace(/\{\w+\}/g, "1"),
  }));
}

async function post(service: TestService, formId: string): Promise<number> {
  const payload = { encrypted: false, version: "plain1", fields: { message: "hello" } };
  return (await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } })).status;
}

function credentials({ token }: TestAccount): string[] {
  return [`Authorization: Bearer ${token}`];
}

test("whatever the operation, bodies that are held back never hold more than the bound, and a small submission passes", async (t) => {
  const { service, account, formId } = await start(t, { bodyBytesMaxOfAddress: boundBytes });
  const operations = operationsWithBody(service, formId);
  assert.ok(operations.length > 40, String(operations.length));
  let refused = 0;
  for (const { method, path } of operations) {
    const uploads = await Promise.all(
      Array.from({ length: connectionsEach }, () => holdBack(t, service, method, path, credentials(account))),
    );
    await untilAnswered(uploads, heldMax);
    const tooMany = uploads.filter(({ answer }) => answer.startsWith("HTTP/1.1 429 "));
    refused += tooMany.length;
    for (const { answer } of tooMany) assert.match(answer, /\r\nretry-after: \d+\r\n[\s\S]*"too_many_requests"/i, path);
    if (method === "POST" && path.startsWith("/f/")) assert.equal(await post(service, formId), 201);
    await Promise.all(uploads.map(({ socket }) => socket.destroy().closed || once(socket, "close")));
  }
  assert.ok(refused > 40, String(refused));
});

test("a submission to a form that does not exist is refused before its body", async (t) => {
  const { service } = await start(t, {});
  for (const path of [`/api/forms/${createId("form", 0)}/submissions`, `/f/${createId("form", 0)}`]) {
    const uploads = await Promise.all(Array.from({ length: 3 }, () => holdBack(t, service, "POST", path)));
    await untilAnswered(uploads, 0);
    for (const { answer } of uploads) assert.match(answer, /^HTTP\/1\.1 404 /, path);
    for (const { socket } of uploads) socket.destroy();
  }
});

test("of many addresses the one that holds most loses its slowest body, with 503 and a time to come again", async (t) => {
  const { service, formId } = await start(
    t,
    { bodyBytesMax: 2.5 * sentBytes, bodyBytesMaxOfAddress: 10 * sentBytes },
    { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32" },
  );
  const path = `/api/forms/${formId}/submissions`;
  const from = (address: string) => holdBack(t, service, "POST", path, [`X-Forwarded-For: ${address}`]);
  const first = await from("192.0.2.1");
  const mine = [await from("192.0.2.2"), await from("192.0.2.2"), await from("192.0.2.2")];
  await untilAnswered(mine, 1);
  assert.equal(first.answer, "");
  assert.ok(
    mine.some(({ answer }) => /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 5\r\n[\s\S]*"uploads_busy"/i.test(answer)),
  );
  assert.equal(await post(service, formId), 201);
  for (const { socket } of [first, ...mine]) socket.destroy();
});

test("a body that stands still ends, and one that arrives in pieces is stored", async (t) => {
  const { service, formId } = await start(t, { standstillMilliseconds: 300 });
  const path = `/api/forms/${formId}/submissions`;
  const still = await holdBack(t, service, "POST", path);
  await untilAnswered([still], 0);
  assert.match(still.answer, /^HTTP\/1\.1 408 [\s\S]*"http_request_too_slow"/);

  const payload = { encrypted: false, version: "plain1", fields: { message: "a".repeat(300_000) } };
  const text = JSON.stringify({ payload });
  const pieces = new ReadableStream({
    async pull(controller) {
      for (let at = 0; at < text.length; at += 65_536) {
        controller.enqueue(new TextEncoder().encode(text.slice(at, at + 65_536)));
        await new Promise(setImmediate);
      }
      controller.close();
    },
  });
  const answer = await fetch(`${service.url}${path}`, {
    ...{ method: "POST", body: pieces, duplex: "half" },
    headers: { "content-type": "application/json" },
  });
  assert.equal(answer.status, 201);
});

for (const [name, hours] of [
  ["ahead", 1],
  ["back", -1],
] as const)
  test(`a machine's clock that is set ${name} ends no upload under way, and keeps none that stands still`, async (t) => {
    // Longer than a busy machine takes between two pieces.
    const { service, formId } = await start(t, { standstillMilliseconds: 3_000 });
    const path = `/api/forms/${formId}/submissions`;
    const still = await holdBack(t, service, "POST", path);
    const going = await holdBack(t, service, "POST", path, ["Connection: close"]);
    const set = Date.now() + hours * 3_600_000;
    t.mock.method(Date, "now", () => set);
    // Many looks for slow bodies.
    await wait(1_000);
    assert.deepEqual([still.answer, going.answer], ["", ""]);
    going.socket.write(`"${" ".repeat(8)}}`);
    await untilAnswered([going], 0);
    assert.doesNotMatch(going.answer, /^HTTP\/1\.1 408/);
    await Promise.race([untilAnswered([still], 0), wait(30_000, undefined, { ref: false })]);
    assert.match(still.answer, /^HTTP\/1\.1 408 [\s\S]*"http_request_too_slow"/);
  });

test("a client that resets its connection, at whatever moment, ends nothing but its request", async (t) => {
  const { service, account, formId } = await start(t, {});
  const { port, host } = new URL(service.url);
  const heads = [
    ["/api/forms", `authorization: Bearer ${account.token}`],
    ["/api/forms", "authorization: Bearer nobody"],
    ["/api/auth/sign-in/email", "accept: */*"],
    [`/api/forms/${formId}/submissions`, "accept: */*"],
  ];
  for (const [path, more] of heads)
    for (let turns = 0; turns < 12; turns += 1) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`,
      );
      for (let count = 0; count < turns; count += 1) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
      if (!socket.closed) await once(socket, "close");
    }
  assert.equal((await account.request("GET", "/api/account")).status, 200);
});

for (const { name, of, share } of wideNetworks)
  test(`who holds bodies back, each from another address of an ${name}, is refused before somebody elsewhere`, async (t) => {
    const count = share + 2;
    const environment = { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" };
    const service = await createTestService(t, {
      connections: { ...patient, bodyBytesMax: (count + 0.5) * sentBytes },
      environment,
    });
    const created = await service.signUp();
    const path = `/api/forms/${await createForm(created, { encryption: false })}/submissions`;
    const hold = (address: string) => holdBack(t, service, "POST", path, [`X-Forwarded-For: ${address}`]);
    const modest = await hold(elsewhere);
    await wait(50);
    const greedy = await Promise.all(Array.from({ length: count }, (_, number) => hold(of(number))));
    await untilAnswered([modest, ...greedy], count);
    assert.equal(modest.answer, "");
    assert.ok(greedy.some(({ answer }) => answer.startsWith("HTTP/1.1 503 ")));
    for (const { socket } of [modest, ...greedy]) socket.destroy();
  });
