import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import { createForm } from "../../packages/server/src/forms/testing/test-form.ts";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

/** Longer than a test may take: what ends before has not waited for it. */
const never = 600_000;

async function start(t: TestContext, stopMilliseconds: number) {
  const service = await createTestService(t, { connections: { idleMilliseconds: never, stopMilliseconds } });
  const formId = await createForm(await service.signUp(), { encryption: false });
  const body = JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } });
  const lines = [
    `POST /api/forms/${formId}/submissions HTTP/1.1`,
    "Host: a",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return { service, request: `${lines.join("\r\n")}\r\n\r\n${body}` };
}

async function open(t: TestContext, url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

test(
  "requests in progress when the service stops are answered with the end of the connection, and nothing is waited for after that",
  onSqlite,
  async (t) => {
    const { service, request } = await start(t, never);
    const sockets = await Promise.all([open(t, service.url), open(t, service.url)]);
    for (const socket of sockets) {
      const begun = once(service.app.server, "request");
      socket.write(request.slice(0, -5));
      await begun;
    }
    const stopped = service.stop();
    for (const socket of sockets) {
      socket.write(request.slice(-5));
      assert.match(await text(socket), /^HTTP\/1\.1 201 [\s\S]*\r\nconnection: close\r\n/i);
    }
    await stopped;
  },
);

test("a connection that was answered before its request was whole ends with the service", onSqlite, async (t) => {
  const { service, request } = await start(t, never);
  const socket = await open(t, service.url);
  const answered = once(socket, "data");
  socket.write(request.replace(/form_\w+/, createId("form")).slice(0, -5));
  assert.match(String(await answered), /^HTTP\/1\.1 404 /);
  const closed = once(socket, "close");
  await service.stop();
  await closed;
});

test(
  "a stopping service says that it is not ready, and keeps serving until a load balancer has seen it",
  onSqlite,
  async (t) => {
    const service = await createTestService(t, { environment: { SEALPOST_DRAIN_SECONDS: "15" } });
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const stopped = service.stop();
    const ready = await service.request("GET", "/health/ready");
    assert.deepEqual([ready.status, ready.headers.get("retry-after")], [503, "5"]);
    // A control: everything else is as always, also on new connections.
    const socket = await open(t, service.url);
    socket.write("GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
    t.mock.timers.tick(14_999);
    assert.equal((await service.request("GET", "/health/live")).status, 200);
    t.mock.timers.tick(1);
    t.mock.timers.reset();
    await stopped;
    await assert.rejects(service.request("GET", "/health/live"));
  },
);

test("a client that never ends its request holds a stop up for a while only", onSqlite, async (t) => {
  const { service, request } = await start(t, 50);
  for (const part of ["", "POST /api", request.slice(0, -5)]) {
    const socket = await open(t, service.url);
    await new Promise((resolve) => socket.write(part, resolve));
  }
  await service.stop();
});
