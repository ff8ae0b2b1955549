import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";

const mebibyte = 1_048_576;

/** A form with so many submissions of nearly 1 MiB. */
async function fill(service: TestService, account: TestAccount, count: number) {
  const formId = await createForm(account, { encryption: false });
  const payload = { version: "plain1" as const, fields: { text: "x".repeat(1_000_000) } };
  const rows = Array.from({ length: count }, () => ({
    ...{ formId, id: createId("submission"), keyVersion: 1, payload, timestamp: 0, receivedAt: 0 },
  }));
  await insertSubmissions(service.database, rows);
  return formId;
}

/** Asks, waits for the beginning of the answer, and reads no further. */
async function askAndStopReading(t: TestContext, service: TestService, account: TestAccount, path: string) {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${account.token}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

/** The bytes that the service holds for its connections: written, and not taken by the system. */
function watchHeld(service: TestService) {
  const sockets = new Set<Socket>();
  service.app.server.on("connection", (socket) => sockets.add(socket));
  return () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
}

test("thirty clients that ask for large pages and do not read hold a page each, and the service keeps answering", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await fill(service, account, 12);
  const held = watchHeld(service);
  const path = `/api/forms/${formId}/submissions`;
  const before = process.memoryUsage().rss;
  await Promise.all(Array.from({ length: 30 }, () => askAndStopReading(t, service, account, `${path}?limit=100`)));
  assert.ok(held() <= 30 * 1.1 * mebibyte, `${held()} bytes`);
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 300 * mebibyte, `grown by ${grown} bytes`);
  assert.equal((await account.request("GET", `${path}?limit=1`)).status, 200);
});

test("when unread answers are too much, the account with most of them loses the oldest, and everybody else's continue", async (t) => {
  // Three exports count as 9 MiB.
  const service = await createTestService(t, { connections: { unreadBytesMax: 10 * mebibyte } });
  const [modest, greedy] = [await service.signUp(), await service.signUp()];
  const [own, many] = [await fill(service, modest, 8), await fill(service, greedy, 16)];
  const ask = (account: TestAccount, formId: string) =>
    askAndStopReading(t, service, account, `/api/forms/${formId}/submissions/export`);
  const first = await ask(modest, own);
  const sockets = [await ask(greedy, many), await ask(greedy, many)];
  const [oldest] = sockets;
  assert.ok(oldest !== undefined && !oldest.closed);
  const broken = once(oldest, "close");
  await ask(greedy, many);
  const cut = countBytes(oldest);
  await broken;
  // A whole answer ends with the connection too, once nobody asks for another.
  assert.ok(cut() < 16_000_000, `${cut()} bytes`);

  // The oldest of all is still whole.
  const whole = countBytes(first);
  while (whole() < 8_000_000) await once(first, "data");
});

/** Reads on, and counts what comes. */
function countBytes(socket: Socket): () => number {
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}
