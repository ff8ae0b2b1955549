import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import fastify from "fastify";
import { createForm } from "../forms/testing/test-form.ts";
import { addPerson, switchTo } from "../organizations/testing/test-organization.ts";
import { toSharedNetworks } from "../rate-limits/client-address.ts";
import { elsewhere, wideNetworks } from "../rate-limits/testing/wide-networks.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { installUnreadLimit } from "./unread-answers.ts";

const mebibyte = 1_048_576;

/** Long answers that need no sign-in. */
const publicPages = ["/", "/api/docs", "/docs", "/docs/embed", "/embed/sealpost.js", "/sealpost-opener.html"] as const;

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

test("a member who reads none of their answers loses them, by session or API key, and the owner's export stays whole", async (t) => {
  // Three exports count as 9 MiB.
  const service = await createTestService(t, { connections: { unreadBytesMax: 10 * mebibyte } });
  const owner = await service.signUp();
  const [own, readers] = [await fill(service, owner, 8), await fill(service, owner, 16)];
  const reader = await addPerson(service, owner, "reader@example.com", { role: "manager" });
  const made = await reader.request("POST", "/api/api-keys", { name: "Program", permissions: ["submissions:read"] });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const ask = (token: string, formId: string) =>
    askAndStopReading(t, service, { ...reader, token }, `/api/forms/${formId}/submissions/export`);
  // The last of them is one too many. Keys count for the person who made them.
  for (const tokens of [
    [reader.token, reader.token, reader.token],
    [reader.token, made.body.key.key, reader.token],
  ]) {
    const first = await ask(owner.token, own);
    const sockets = [];
    for (const token of tokens) sockets.push(await ask(token, readers));
    const whole = countBytes(first);
    while (whole() < 8_000_000) await once(first, "data", { signal: AbortSignal.timeout(10_000) });
    const [oldest = assert.fail()] = sockets;
    const cut = countBytes(oldest);
    await once(oldest, "close");
    assert.ok(cut() < 16_000_000, `${cut()} bytes`);
    for (const socket of [first, ...sockets]) socket.destroy();
  }
});

test("pages and scripts that strangers get are bytes that all answers share", async (t) => {
  const service = await createTestService(t);
  const sent = t.mock.method(ServerResponse.prototype, "end");
  for (const path of publicPages) {
    for (const encoding of ["identity", "gzip", "br"]) {
      sent.mock.resetCalls();
      for (let index = 0; index < 2; index++) {
        const answer = await service.request("GET", path, { headers: { "accept-encoding": encoding } });
        assert.equal(answer.status, 200, path);
      }
      const [one, other] = sent.mock.calls.map(({ arguments: [bytes] }) => bytes as unknown);
      assert.ok(Buffer.isBuffer(one) ? one === other : String(one).length < 65_536, `${path} ${encoding}`);
    }
  }
});

test("a stranger who reads none of their answers loses them, and the answer to another network stays whole", async (t) => {
  const app = fastify();
  installUnreadLimit(app, 12 * mebibyte, toSharedNetworks);
  app.get("/", async () => "x".repeat(4 * mebibyte));
  const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
  t.after(() => app.close());
  const ask = (localAddress: string) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    t.after(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return socket;
  };
  const modest = ask("127.0.0.2");
  await once(modest, "readable");
  const greedy = [ask("127.0.0.3"), ask("127.0.0.3"), ask("127.0.0.3")];
  await Promise.all(greedy.map((socket) => Promise.race([once(socket, "readable"), once(socket, "close")])));
  await Promise.race(greedy.map((socket) => once(socket.resume(), "close")));
  const whole = countBytes(modest);
  while (whole() < 4 * mebibyte) await once(modest, "data");
});

for (const { name, of, share } of wideNetworks)
  test(`who reads none of their answers, each asked for from another address of an ${name}, loses one, and another network's stays whole`, async (t) => {
    const app = fastify({ trustProxy: true });
    const count = share + 2;
    installUnreadLimit(app, (count + 0.5) * 4 * mebibyte, toSharedNetworks);
    const text = "x".repeat(4 * mebibyte);
    app.get("/", async () => text);
    const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
    t.after(() => app.close());
    const ask = async (ip: string) => {
      const socket = connect(port, "127.0.0.1");
      t.after(() => socket.destroy());
      socket.on("error", () => undefined);
      socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${ip}\r\n\r\n`);
      await once(socket, "readable");
      return socket;
    };
    const modest = await ask(elsewhere);
    const greedy: Socket[] = [];
    for (let number = 0; number < count; number++) greedy.push(await ask(of(number)));
    await Promise.race(greedy.map((socket) => once(socket.resume(), "close")));
    const whole = countBytes(modest);
    while (whole() < 4 * mebibyte) {
      assert.ok(!modest.closed, `closed after ${whole()} bytes`);
      await Promise.race([once(modest, "data"), once(modest, "close")]);
    }
  });

test("an answer whose client left before it was made holds nothing of what others may", async (t) => {
  const app = fastify({ trustProxy: true });
  installUnreadLimit(app, 12 * mebibyte, toSharedNetworks);
  const [arrived, sent] = [new EventEmitter(), new EventEmitter()];
  app.get("/left", async ({ raw, ip }, reply) => {
    arrived.emit(ip);
    await once(raw.socket, "close");
    reply.header("x-of", ip);
    return "x".repeat(mebibyte);
  });
  app.get("/", async () => "x".repeat(8 * mebibyte));
  app.addHook("onSend", (_request, reply, _payload, done) => {
    done();
    sent.emit(String(reply.getHeader("x-of")));
  });
  const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
  t.after(() => app.close());
  const ask = (path: string, ip: string) => {
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${ip}\r\n\r\n`);
    return socket;
  };
  for (let index = 1; index <= 12; index++) {
    const ip = `192.0.2.${index}`;
    const [asked, answered] = [once(arrived, ip), once(sent, ip)];
    const socket = ask("/left", ip);
    await asked;
    socket.destroy();
    await answered;
  }
  const honest = ask("/", "198.51.100.1");
  const whole = countBytes(honest);
  while (whole() < 8 * mebibyte) await once(honest, "data", { signal: AbortSignal.timeout(10_000) });
});

test("who reads none of their answers in many organizations holds no more than in one, and the export of somebody else stays whole", async (t) => {
  // An export counts as 3 MiB.
  const service = await createTestService(t, { connections: { unreadBytesMax: 10 * mebibyte } });
  const [modest, greedy] = [await service.signUp(), await service.signUp()];
  const own = await fill(service, modest, 8);
  const exports: { readonly token: string; readonly path: string }[] = [];
  for (let index = 0; index < 3; index++) {
    const made = await greedy.request("POST", "/api/organizations", { name: `Guild ${index}` });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await switchTo(greedy, made.body.organization.id);
    const path = `/api/forms/${await fill(service, greedy, 16)}/submissions/export`;
    const key = await greedy.request("POST", "/api/api-keys", { name: "Program", permissions: ["submissions:read"] });
    assert.equal(key.status, 200, JSON.stringify(key.body));
    exports.push({ token: key.body.key.key, path });
  }
  const first = await askAndStopReading(t, service, modest, `/api/forms/${own}/submissions/export`);
  const sockets: Socket[] = [];
  for (const { token, path } of exports) sockets.push(await askAndStopReading(t, service, { ...greedy, token }, path));
  const whole = countBytes(first);
  while (whole() < 8_000_000) await once(first, "data", { signal: AbortSignal.timeout(10_000) });
});

test("a connection with more than sixteen requests at once is closed, and sixteen are answered", async (t) => {
  const service = await createTestService(t);
  for (const [count, expected] of [
    [16, 16],
    [17, 0],
  ] as const) {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    t.after(() => socket.destroy());
    socket.on("error", () => undefined);
    const request = "GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write(request.repeat(count - 1) + request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    const text = await readAll(socket);
    assert.equal(text.split("HTTP/1.1 200").length - 1, expected);
  }
});

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

/** Reads on, and counts what comes. */
function countBytes(socket: Socket): () => number {
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}
