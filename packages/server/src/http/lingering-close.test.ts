import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import type { ConnectionLimits } from "./connections.ts";

const piece = " ".repeat(16_384);
const pieces = 128;

async function start(t: TestContext, connections: Partial<ConnectionLimits> = {}) {
  const service = await createTestService(t, { connections, environment: { SEALPOST_SUBMIT_RATE: "6000" } });
  const account = await service.signUp();
  return { service, formId: await createForm(account, { encryption: false }) };
}

async function open(t: TestContext, { url }: TestService): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

const bodies = {
  "with a length": {
    header: `Content-Length: ${pieces * piece.length}`,
    wrap: (text: string) => text,
    end: "",
  },
  "in chunks": {
    header: "Transfer-Encoding: chunked",
    wrap: (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`,
    end: "0\r\n\r\n",
  },
} as const;

const addresses = {
  "/api/forms/ID/submissions": "application/json",
  "/f/ID": "application/x-www-form-urlencoded",
} as const;

/** Sends all of a body before it reads, as a proxy does; what it gets, or the error. */
async function sendAll(socket: Socket, head: string, { wrap, end }: (typeof bodies)[keyof typeof bodies]) {
  let answer = "";
  const errors: string[] = [];
  socket.on("error", (error) => errors.push(error.message));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.pause();
  socket.write(head);
  for (let index = 0; index < pieces && !socket.destroyed; index++) {
    if (index % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    socket.write(wrap(piece));
  }
  await new Promise((resolve) => socket.write(end || wrap(""), resolve));
  socket.on("data", (bytes) => {
    answer += bytes;
  });
  socket.resume();
  await closed;
  return { answer, errors };
}

for (const [name, body] of Object.entries(bodies))
  for (const [address, type] of Object.entries(addresses))
    test(`a body of 2 MiB ${name} to ${address} that is sent to its end gets 413 and no reset, 50 times of 50`, async (t) => {
      const { service, formId } = await start(t);
      const path = address.replace("ID", formId);
      const head = [
        `POST ${path} HTTP/1.1`,
        "Host: a",
        "Accept: application/json",
        `Content-Type: ${type}`,
        body.header,
      ];
      for (let index = 0; index < 50; index++) {
        const { answer, errors } = await sendAll(await open(t, service), `${head.join("\r\n")}\r\n\r\n`, body);
        assert.deepEqual(errors, [], `${index}`);
        assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*"payload_too_large"[\s\S]*\}$/);
      }
    });

test("who sends on and on after an early answer is let go after some megabytes", async (t) => {
  const { service, formId } = await start(t);
  const socket = await open(t, service);
  let sent = 0;
  const gone = new Promise<void>((resolve) => socket.on("error", () => undefined).once("close", () => resolve()));
  socket.resume();
  socket.write(
    `POST /f/${formId} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000000\r\n\r\n`,
  );
  // The end that the service sends does not end what this side sends.
  const send = () => {
    while (!socket.destroyed && socket.writable && socket.write(piece)) sent += piece.length;
  };
  socket.allowHalfOpen = true;
  socket.on("drain", send);
  send();
  await gone;
  assert.ok(sent > 4 * 1_048_576 && sent < 500 * 1_048_576, `${sent} bytes`);
});

const slow = {
  "nothing more": { limits: { standstillMilliseconds: 300 }, silentMilliseconds: 1_000 },
  "a byte now and then": { limits: { requestMilliseconds: 500 }, silentMilliseconds: 0 },
};

for (const [what, { limits, silentMilliseconds }] of Object.entries(slow))
  test(`who sends ${what} after an early answer, and keeps the connection, is let go`, async (t) => {
    const { service, formId } = await start(t, limits);
    const socket = await open(t, service);
    socket.allowHalfOpen = true;
    socket.resume();
    socket.on("error", () => undefined);
    socket.write(
      `POST /f/${formId} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000000\r\n\r\n`,
    );
    await once(socket, "end");
    const at = performance.now();
    // A write to a connection that is gone ends its own side too.
    const writing = setInterval(() => performance.now() - at < silentMilliseconds || socket.write("x"), 50);
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    clearInterval(writing);
    assert.ok(performance.now() - at < 10_000);
  });
