import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

/** Longer than a test may take: what ends before has not waited for it. */
const never = 600_000;

async function start(t: TestContext, stopMilliseconds: number) {
  const service = await createTestService(t, { connections: { idleMilliseconds: never, stopMilliseconds } });
  const body = JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } });
  const lines = [
    `POST /api/forms/${createId("form")}/submissions HTTP/1.1`,
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
  "what is under way when the service stops is answered and told that the connection ends, and nothing is waited for after that",
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
      assert.match(await text(socket), /^HTTP\/1\.1 404 [\s\S]*\r\nconnection: close\r\n[\s\S]*"Form not found"/i);
    }
    await stopped;
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
