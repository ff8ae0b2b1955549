import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { type ConnectionLimits, connectionLimits, findConnectionsMax } from "./connections.ts";

/** Far above what any test needs, but for the limit that it is about. */
const patient = {
  headersMilliseconds: 60_000,
  requestMilliseconds: 60_000,
  idleMilliseconds: 60_000,
  checkMilliseconds: 20,
};

async function start(t: TestContext, connections: Partial<ConnectionLimits> = {}) {
  const service = await createTestService(t, { connections: { ...patient, ...connections } });
  const account = await service.signUp();
  return { service, formId: await createForm(account, { encryption: false }) };
}

async function open(t: TestContext, service: TestService): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  // It may be reset instead of ended; that it is over is what counts.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Everything that comes until the service ends the connection. */
async function untilEnd(socket: Socket): Promise<string> {
  return text(socket).catch(() => "");
}

const head = (formId: string, ...lines: string[]) =>
  [
    `POST /api/forms/${formId}/submissions HTTP/1.1`,
    "Host: a",
    "Content-Type: application/json",
    ...lines,
    "",
    "",
  ].join("\r\n");
const payload = { encrypted: false, version: "plain1", fields: { message: "hello" } };
const whole = (formId: string, body = JSON.stringify({ payload })) =>
  `${head(formId, `Content-Length: ${body.length}`)}${body}`;

async function post(service: TestService, formId: string): Promise<number> {
  return (await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } })).status;
}

test("headers that never end cost a client its connection, and nobody else anything", async (t) => {
  const { service, formId } = await start(t, { headersMilliseconds: 500 });
  const slow = await Promise.all(Array.from({ length: 20 }, () => open(t, service)));
  for (const socket of slow) socket.write(`POST /api/forms/${formId}/submissions HTTP/1.1\r\nHost: a\r\nX-A: `);
  assert.equal(await post(service, formId), 201);
  for (const socket of slow) assert.match(await untilEnd(socket), /^HTTP\/1\.1 408 .*\r\n[\s\S]*"error":"bad_request"/);
});

test("a connection that says nothing at all is ended like one with slow headers", async (t) => {
  const { service } = await start(t, { headersMilliseconds: 500 });
  const silent = await open(t, service);
  assert.match(await untilEnd(silent), /^HTTP\/1\.1 408 /);
});

test("a body that drips is cut off when its time is over, and stores nothing", async (t) => {
  const { service, formId } = await start(t, { headersMilliseconds: 500, requestMilliseconds: 500 });
  const slow = await open(t, service);
  slow.write(`${head(formId, "Content-Length: 500")}{"payload":`);
  const drip = setInterval(() => slow.write(" "), 10);
  t.after(() => clearInterval(drip));
  assert.equal(await post(service, formId), 201);
  assert.match(await untilEnd(slow), /^(HTTP\/1\.1 408 |$)/);
  const stored = await service.database.selectFrom("submission").select("id").where("form_id", "=", formId).execute();
  assert.equal(stored.length, 1);
});

test("a slow upload is stored, however long it takes, as long as it comes at the least rate", async (t) => {
  const { service, formId } = await start(t, { requestMilliseconds: 300, bodyBytesPerSecondMin: 2_000 });
  const slow = await open(t, service);
  const body = JSON.stringify({ payload: { ...payload, fields: { message: "a".repeat(40_000) } } });
  const startedAt = performance.now();
  slow.write(head(formId, `Content-Length: ${body.length}`, "Connection: close"));
  let at = 0;
  const sending = setInterval(() => {
    slow.write(body.slice(at, at + 1_000));
    at += 1_000;
    if (at >= body.length) clearInterval(sending);
  }, 15);
  t.after(() => clearInterval(sending));
  assert.match(await untilEnd(slow), /^HTTP\/1\.1 201 /);
  assert.ok(performance.now() - startedAt > 300, "a control: longer than a body that drips may take");
});

test("a connection is ended when no further request comes", async (t) => {
  const { service, formId } = await start(t, { idleMilliseconds: 50 });
  const socket = await open(t, service);
  socket.write(whole(formId));
  const answers = await untilEnd(socket);
  assert.match(answers, /^HTTP\/1\.1 201 /);
  assert.equal(answers.match(/^HTTP\/1\.1 /gm)?.length, 1);
});

test("a client that does not read its answer is let go", async (t) => {
  // Without an account: hashing its password takes longer than this client may be silent.
  const service = await createTestService(t, { connections: { ...patient, silentMilliseconds: 100 } });
  const closed = new Promise<void>((resolve) =>
    service.app.server.once("connection", (accepted: Socket) => accepted.once("close", () => resolve())),
  );
  const slow = await open(t, service);
  slow.pause();
  // More than the buffers of a connection hold.
  slow.write("GET /api/docs HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
  await closed;
});

test("with too many connections the one that waited longest makes room, and who is owed an answer keeps it", async (t) => {
  const { service, formId } = await start(t, { connectionsMax: 3 });
  const owed = await open(t, service);
  const ended: string[] = [];
  const watch = async (name: string, request: string) => {
    const socket = await open(t, service);
    const gone = once(socket, "close").then(() => ended.push(name));
    socket.resume().write(request);
    return { socket, gone };
  };
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    service.app.server.prependOnceListener("request", (_request, response) => {
      const end = response.end.bind(response);
      response.end = (...parameters: []) => {
        void held.then(() => end(...parameters));
        return response;
      };
      resolve();
    });
  });
  owed.write(whole(formId));
  await asked;
  const headers = await watch("slow headers", "GET / HTT");
  const body = await watch("slow body", `${head(formId, "Content-Length: 500")}{`);
  // Two more than there is room for.
  const first = await watch("new", "");
  await headers.gone;
  await watch("newer", "");
  await body.gone;
  assert.deepEqual(ended, ["slow headers", "slow body"]);
  answer();
  const [bytes] = await once(owed, "data");
  assert.match(String(bytes), /^HTTP\/1\.1 201 /);
  first.socket.destroy();
});

test("a body that is announced too large is refused before it comes, one without a length once it is too large", async (t) => {
  const { service, formId } = await start(t);
  const announced = await open(t, service);
  announced.write(head(formId, "Content-Length: 10000000000"));
  assert.match(await untilEnd(announced), /^HTTP\/1\.1 413 [\s\S]*connection: close\r\n[\s\S]*"payload_too_large"/i);

  const chunked = await open(t, service);
  const answered = untilEnd(chunked);
  chunked.write(head(formId, "Transfer-Encoding: chunked"));
  const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
  let sent = 0;
  // It never says that it is over: only the service can end it.
  const send = () => {
    while (chunked.writable && sent < 1000 && chunked.write(chunk)) sent += 1;
  };
  chunked.on("drain", send);
  send();
  assert.match(await answered, /^(HTTP\/1\.1 413 |$)/);
  assert.ok(sent < 1000, `${sent} chunks of 64 KiB were taken`);
  assert.equal(await post(service, formId), 201);
});

test("a body of a megabyte that is nothing but depth is refused, and the service keeps working", async (t) => {
  const { service, formId } = await start(t);
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const fields = (value: string) => `{"payload":{"encrypted":false,"version":"plain1","fields":${value}}}`;
  const bodies: readonly (readonly [string, number])[] = [
    [fields(nested(32)), 201],
    [fields(nested(33)), 400],
    [fields(nested(170_000)), 400],
    [fields(`{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`), 400],
    ["[".repeat(1_000_000), 400],
    [`{"payload":${"[".repeat(500_000)}${"]".repeat(500_000)}}`, 400],
    [`{"id":${"[".repeat(500_000)}${"]".repeat(500_000)},"payload":${JSON.stringify(payload)}}`, 400],
  ];
  for (const [body, status] of bodies) {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
    assert.equal(answer.status, status, `${body.slice(0, 80)} of ${body.length}`);
  }
  assert.equal(await post(service, formId), 201);
});

test("a connection is not ended by the number of its requests", async (t) => {
  const { service, formId } = await start(t);
  const socket = await open(t, service);
  for (let count = 0; count < 100; count++) {
    socket.write(whole(formId));
    const [answer] = await once(socket, "data");
    assert.match(String(answer), /^HTTP\/1\.1 201 /);
    assert.doesNotMatch(String(answer), /connection: close/i);
  }
});

test("a quarter of the process's files is kept for what is not a connection", () => {
  const limits = (files: string) => () =>
    `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${files}  4096  files\n`;
  assert.equal(findConnectionsMax(limits("1024")), 768);
  assert.equal(findConnectionsMax(limits("1048576")), 16_000);
  assert.equal(findConnectionsMax(limits("unlimited")), 16_000);
  assert.equal(
    findConnectionsMax(() => {
      throw new Error("no such file");
    }),
    16_000,
  );
  assert.ok(connectionLimits.idleMilliseconds > 60_000, "proxies that keep connections for a minute close them first");
});
