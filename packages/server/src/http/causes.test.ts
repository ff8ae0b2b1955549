import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as sendRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Duplex, Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import Fastify from "fastify";
import { DummyDriver, Kysely, SqliteDialect, sql } from "kysely";
import { createTransport } from "nodemailer";
import { connectionFailures } from "../database/errors.ts";
import { rememberErrors } from "../database/errors-of-database.ts";
import { installErrorHandling } from "./errors.ts";

const broken = (code: string) => Object.assign(new Error(`broken by ${code}`), { code });

/** A connection whose other side breaks off with this code. */
function createBrokenSocket(code: string): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(broken(code)) });
}

async function askDatabase(code: string): Promise<unknown> {
  const driver = new DummyDriver();
  driver.acquireConnection = () => Promise.reject(broken(code));
  const dialect = new SqliteDialect({ database: async () => assert.fail("nothing is opened") });
  dialect.createDriver = () => driver;
  return sql`select 1`.execute(new Kysely({ dialect: rememberErrors(dialect) }));
}

async function askWebhook(code: string): Promise<unknown> {
  const agent = new Agent();
  agent.createConnection = () => createBrokenSocket(code);
  return once(sendRequest("http://hooks.example/", { method: "POST", agent }).end("{}"), "response");
}

async function askMail(code: string): Promise<unknown> {
  const transport = createTransport({
    getSocket: (_options: object, done: (error: Error) => void) => done(broken(code)),
  });
  return transport.sendMail({ from: "a@sender.example", to: "b@recipient.example", text: "text" });
}

/** A service whose routes ask elsewhere, and what it has logged as errors. */
function createAsking(t: TestContext) {
  const lines: { msg: string }[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const app = Fastify({ logger: { level: "warn", stream } });
  t.after(() => app.close());
  installErrorHandling(app, { findMethodPage: async () => undefined, findNotFoundPage: async () => undefined });
  return { app, lines };
}

const places = {
  "the database": { ask: askDatabase, status: 503, logged: ["unavailable"] },
  "a webhook": { ask: askWebhook, status: 500, logged: ["internal_error"] },
  mail: { ask: askMail, status: 500, logged: ["internal_error"] },
} as const;

for (const [place, { ask, status, logged }] of Object.entries(places))
  test(`a connection that breaks has its cause at the other end of it, by whatever code: ${place}`, async (t) => {
    for (const code of connectionFailures) {
      await assert.rejects(ask(code), { code });
      const { app, lines } = createAsking(t);
      app.get("/", () => ask(code));
      assert.equal((await app.inject("/")).statusCode, status, code);
      assert.deepEqual(
        lines.map(({ msg }) => msg),
        logged,
        code,
      );
    }
  });

test("a connection that breaks has its cause at the other end of it, by whatever code: a visitor's", async (t) => {
  for (const code of connectionFailures) {
    const { app, lines } = createAsking(t);
    app.post("/", () => assert.fail("nothing was read"));
    app.addHook("preParsing", (request, _reply, body, done) => {
      setImmediate(() => request.raw.destroy(broken(code)));
      done(null, body);
    });
    const whenAnswered = Promise.withResolvers<number>();
    app.addHook("onSend", async (_request, reply) => whenAnswered.resolve(reply.statusCode));
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1"); // it listens on a port
    socket.on("error", () => {});
    socket.write(
      "POST / HTTP/1.1\r\nHost: forms.example\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    );
    assert.equal(await whenAnswered.promise, 400, code);
    assert.deepEqual(lines, [], code);
  }
});

test("a visitor who breaks off an upload leaves no line among the errors", async (t) => {
  for (const end of ["resetAndDestroy", "destroy"] as const) {
    const { app, lines } = createAsking(t);
    app.post("/", () => assert.fail("nothing was read"));
    const whenAnswered = Promise.withResolvers<number>();
    app.addHook("onSend", async (_request, reply) => whenAnswered.resolve(reply.statusCode));
    const whenReading = Promise.withResolvers<void>();
    app.addHook("preParsing", (_request, _reply, body, done) => {
      done(null, body);
      whenReading.resolve();
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1"); // it listens on a port
    socket.write(
      "POST / HTTP/1.1\r\nHost: forms.example\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    );
    await whenReading.promise;
    socket[end]();
    assert.equal(await whenAnswered.promise, 400, end);
    assert.deepEqual(lines, [], end);
  }
});
