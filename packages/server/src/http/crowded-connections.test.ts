import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import type { ConnectionLimits } from "./connections.ts";

const connectionsMax = 6;
/** Far above what a test takes: nothing ends but by what it is about. */
const patient = {
  headersMilliseconds: 60_000,
  requestMilliseconds: 60_000,
  requestMillisecondsMax: 60_000,
  standstillMilliseconds: 60_000,
  idleMilliseconds: 60_000,
  silentMilliseconds: 60_000,
  checkMilliseconds: 20,
  stopMilliseconds: 50,
};

const payload = { encrypted: false, version: "plain1", fields: { message: "hello" } };
const submission = JSON.stringify({ payload });

async function start(t: TestContext, connections: Partial<ConnectionLimits>, environment = {}) {
  const lines: string[] = [];
  let isHashing = true;
  const service = await createTestService(t, {
    connections: { ...patient, connectionsMax, ...connections },
    environment,
    log: { write: (text: string) => void lines.push(text), dropped: () => 0 },
    passwords: {
      hash: async () => (isHashing ? "hash" : never()),
      verify: never,
    },
  });
  const account = await service.signUp();
  isHashing = false;
  const formId = await createForm(account, { encryption: false });
  const fields = { text: "x".repeat(1_000_000) };
  await insertSubmissions(
    service.database,
    Array.from({ length: 16 }, () => ({
      ...{ formId, id: createId("submission"), keyVersion: 1, payload: { version: "plain1", fields } },
      ...{ timestamp: 0, receivedAt: 0 },
    })),
  );
  return { service, formId, token: account.token, lines };
}

/** As a turn that never comes. */
function never<Result>(): Promise<Result> {
  return new Promise(() => undefined);
}

interface Case {
  readonly formId: string;
  readonly token: string;
  /** Lines of headers that a proxy adds. */
  readonly more: string;
}

interface Standing {
  readonly name: string;
  /** The bytes that the client sends. */
  send(standing: Case): string;
  /** When the connection stands so; else once the service has it. */
  readonly until?: "asked" | "waiting" | "unread" | "answered";
  /** Bytes of an answer that the client takes again and again. */
  readonly drip?: number;
}

const get =
  (path: string) =>
  ({ token, formId, more }: Case) =>
    `GET ${path.replace(":form_id", formId)} HTTP/1.1\r\nHost: localhost\r\n${more}Authorization: Bearer ${token}\r\n\r\n`;
const ask =
  (path: string, count: number) =>
  ({ more }: Case) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`.repeat(count);
const post =
  (rest: string, lines = "Content-Length: 500\r\n") =>
  ({ formId, more }: Case) =>
    `POST /api/forms/${formId}/submissions HTTP/1.1\r\nHost: localhost\r\n${more}Content-Type: application/json\r\n${lines}\r\n${rest}`;
const signIn = JSON.stringify({ email: "nobody@example.com", password: "not a password of anybody" });

/** Every state that a connection can be in, from its first byte to the wait for another request. */
const standings: readonly Standing[] = [
  { name: "has said nothing", send: () => "" },
  { name: "is within its request line", send: () => "GET / HT" },
  { name: "is within its headers", send: ({ more }) => `GET / HTTP/1.1\r\nHost: localhost\r\n${more}X-A: ` },
  { name: "begins with a TLS handshake", send: () => "\x16\x03\x01" },
  { name: "is within a body of a known length", send: post("{"), until: "asked" },
  {
    name: "is within a body of any length",
    send: post("1\r\n{\r\n", "Transfer-Encoding: chunked\r\n"),
    until: "asked",
  },
  { name: "waits for 100 Continue", send: post("", "Content-Length: 500\r\nExpect: 100-continue\r\n"), until: "asked" },
  { name: "was answered before its body came", send: post("", "Content-Length: 10000000\r\n"), until: "asked" },
  {
    name: "waits for its turn",
    send: ({ more }) =>
      `POST /api/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\n${more}Content-Type: application/json\r\nContent-Length: ${signIn.length}\r\n\r\n${signIn}`,
    until: "waiting",
  },
  {
    name: "asks for an upgrade",
    send: ({ more }) =>
      `GET /nowhere HTTP/1.1\r\nHost: localhost\r\n${more}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
    until: "asked",
  },
  {
    name: "reads none of answers of its own",
    send: get("/api/forms/:form_id/submissions?limit=16"),
    until: "unread",
  },
  { name: "reads none of an export", send: get("/api/forms/:form_id/submissions/export"), until: "unread" },
  { name: "reads none of answers that all share", send: ask("/sealpost-opener.html", 1), until: "unread" },
  { name: "reads a little now and then", send: ask("/sealpost-opener.html", 1), until: "unread", drip: 64 },
  { name: "waits between two requests", send: ask("/health/live", 1), until: "answered" },
];

interface Held {
  readonly socket: Socket;
  /** The service's end. */
  readonly accepted: Socket;
}

/** Opens a connection, and has it stand so. */
async function hold(
  t: TestContext,
  service: TestService,
  { send, until, drip }: Standing,
  asked: Case,
  localAddress: string,
): Promise<Held> {
  const { server } = service.app;
  const accepting = once(server, "connection") as Promise<[Socket]>;
  const socket = connect({ port: Number(new URL(service.url).port), host: "127.0.0.1", localAddress });
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  const [accepted] = await accepting;
  const requested = until === "asked" || until === "waiting" ? once(server, "request") : undefined;
  socket.write(send(asked), "latin1");
  await requested;
  if (until === "waiting") {
    await wait(50);
    assert.equal(accepted.bytesWritten, 0, "a control: it has no answer");
  }
  // One request after another: what the system takes of the first answers is more than some of them have.
  if (until === "unread") while (!(await isLeftUnread(server, accepted))) socket.write(send(asked), "latin1");
  if (until === "answered") await once(socket, "data");
  if (drip !== undefined) {
    await once(socket, "readable");
    const timer = setInterval(() => socket.read(drip), 5);
    socket.once("close", () => clearInterval(timer));
    t.after(() => clearInterval(timer));
  }
  return { socket, accepted };
}

/** Waits for the end of an answer; true when it does not come. */
async function isLeftUnread(server: TestService["app"]["server"], accepted: Socket): Promise<boolean> {
  const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  for (let count = 0; count < 40; count++) {
    if (response.writableFinished) return false;
    await wait(5);
  }
  return accepted.writableLength > 0;
}

/** The status of somebody's submission, on a new connection; the error's code where there is none. */
function submit({ url }: TestService, formId: string, localAddress: string, more = {}): Promise<number | string> {
  return new Promise((resolve) => {
    sendRequest(
      `${url}/api/forms/${formId}/submissions`,
      {
        ...{ method: "POST", agent: false, localAddress },
        headers: { "content-type": "application/json", "content-length": submission.length, ...more },
      },
      (response) => response.resume().once("end", () => resolve(response.statusCode ?? 0)),
    )
      .once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name))
      .end(submission);
  });
}

async function closeOthers({ app }: TestService): Promise<void> {
  app.server.closeIdleConnections();
  while ((await countOpen(app.server)) > 0) await wait(5);
}

function countOpen(server: TestService["app"]["server"]): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

const ways = [
  { way: "an address", environment: {}, of: () => "", somebody: {} },
  {
    way: "a /64 at a proxy",
    environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.0/8" },
    of: (number: number) => `X-Forwarded-For: 2001:db8:1:1::${number}\r\n`,
    somebody: { "x-forwarded-for": "198.51.100.7" },
  },
] as const;

for (const { way, environment, of, somebody } of ways) {
  for (const standing of standings)
    test(`${way} whose every connection ${standing.name} holds all there may be, and somebody else's submissions are taken`, async (t) => {
      const { service, formId, token } = await start(t, {}, environment);
      await closeOthers(service);
      for (let number = 1; number <= connectionsMax; number++)
        await hold(t, service, standing, { formId, token, more: of(number) }, "127.0.0.2");
      for (let count = 0; count < 3; count++)
        assert.equal(await submit(service, formId, "127.0.0.3", somebody), 201, `submission ${count}`);
    });

  test(`${way} with connections of every state keeps nobody from submitting, and who reads an export from elsewhere reads all of it`, async (t) => {
    const { service, formId, token, lines } = await start(t, { connectionsMax: standings.length + 1 }, environment);
    await closeOthers(service);
    const elsewhere = Object.entries(somebody)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    const asked = { formId, token, more: elsewhere };
    const reading = { name: "", send: get("/api/forms/:form_id/submissions/export"), until: "unread" } as const;
    const { socket: reader } = await hold(t, service, reading, asked, "127.0.0.4");
    for (const rounds of [1, 2])
      for (const [index, standing] of standings.entries())
        await hold(t, service, standing, { formId, token, more: of(rounds * 100 + index) }, "127.0.0.2");
    for (let count = 0; count < standings.length; count++)
      assert.equal(await submit(service, formId, "127.0.0.3", somebody), 201, `submission ${count}`);
    let bytes = 0;
    reader.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    while (bytes < 16_000_000) await once(reader, "data", { signal: AbortSignal.timeout(10_000) });
    const closed = logged(lines);
    assert.ok(
      closed.length > 0 && closed.length < 2 * standings.length,
      "the first of each kind, and sums of the rest",
    );
    assert.ok(closed.every(({ why }) => why === "full"));
    assert.doesNotMatch(JSON.stringify(closed), /127\.0|2001/);
  });
}

test("requests that wait for an unread answer of their connection hold no more than their bound, and somebody else's are answered", async (t) => {
  const pipelined = 9;
  const waitingMax = 40;
  const limits = { connectionsMax: 100, waitingBytesMax: waitingMax * 16_384 };
  const { service, formId, token, lines } = await start(t, limits);
  await closeOthers(service);
  let waiting = 0;
  service.app.server.on("request", (_request, response) => {
    waiting += 1;
    response.once("close", () => {
      waiting -= 1;
    });
  });
  const standing = { name: "", send: ask("/sealpost-opener.html", pipelined + 1), until: "asked" } as const;
  const asked = { formId, token, more: "" };
  for (let count = 0; count < 12; count++) {
    const { accepted } = await hold(t, service, standing, asked, "127.0.0.2");
    while (!accepted.destroyed && accepted.writableLength < 100_000) await wait(5);
  }
  // The first of each connection waits for none.
  assert.ok(waiting <= waitingMax + 12, `${waiting} requests wait`);
  assert.ok(waiting > 2 * pipelined, "a control: some do");
  assert.deepEqual(logged(lines)[0], { why: "waiting", state: "unfinished" });
  const somebody = connect({ port: Number(new URL(service.url).port), host: "127.0.0.1", localAddress: "127.0.0.3" });
  t.after(() => somebody.destroy());
  somebody.write(ask("/health/live", 5)(asked));
  let text = "";
  while (text.split("HTTP/1.1 200").length < 6) text += String((await once(somebody, "data"))[0]);
});

test("headers of requests that wait for their answers hold no more than their bound", async (t) => {
  const limits = { connectionsMax: 100, waitingBytesMax: 50_000 };
  const { service, formId, token } = await start(t, limits);
  await closeOthers(service);
  const standing = standings.find(({ name }) => name === "waits for its turn") ?? assert.fail();
  const asked = { formId, token, more: `X-A: ${"a".repeat(10_000)}\r\n` };
  const held: Held[] = [];
  for (let count = 0; count < 8; count++) held.push(await hold(t, service, standing, asked, "127.0.0.2"));
  assert.ok(held.filter(({ accepted }) => !accepted.destroyed).length <= 4);
  assert.equal(await submit(service, formId, "127.0.0.3"), 201);
});

test("where no network holds many, a reader who takes nothing makes room, and one who is owed an answer keeps it", async (t) => {
  const { service, formId, token } = await start(t, { standstillMilliseconds: 100 });
  await closeOthers(service);
  const asked = { formId, token, more: "" };
  const waiting = standings.find(({ name }) => name === "waits for its turn") ?? assert.fail();
  const held: Held[] = [];
  for (let count = 1; count < connectionsMax; count++)
    held.push(await hold(t, service, waiting, asked, `127.0.${count}.1`));
  const reading = { name: "", send: get("/api/forms/:form_id/submissions/export"), until: "unread" } as const;
  const { accepted } = await hold(t, service, reading, asked, "127.0.100.1");
  while ((await submit(service, formId, "127.0.200.1")) !== 201) await wait(20);
  assert.ok(accepted.destroyed);
  assert.deepEqual(
    held.map(({ accepted: { destroyed } }) => destroyed),
    held.map(() => false),
  );
});

test("a reader who takes less than the least rate for as long as one may be silent is let go", async (t) => {
  const rate = { silentMilliseconds: 500, answerBytesPerSecondMin: 1_000_000_000 };
  const { service, formId, token, lines } = await start(t, rate);
  const dripping = standings.find(({ drip }) => drip !== undefined) ?? assert.fail();
  const { accepted } = await hold(t, service, dripping, { formId, token, more: "" }, "127.0.0.2");
  if (!accepted.closed) await once(accepted, "close");
  assert.equal(logged(lines)[0]?.why, "slow");
});

/** Lines of the log about connections that were closed, each without what every line has. */
function logged(lines: readonly string[]): Array<{ why?: string; state?: string; more?: number }> {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => /^connections? closed$/.test(msg))
    .map(({ level: _level, time: _time, pid: _pid, hostname: _hostname, msg: _msg, ...members }) => members);
}
