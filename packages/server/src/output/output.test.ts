import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { onEither } from "../testing/test-database.ts";
import { createOutput, type OutputStream } from "./output.ts";

const describeDropped = (count: number) => `dropped ${count}\n`;

test("lines for a full disk are dropped and counted, and nothing is thrown", {
  skip: !existsSync("/dev/full") && "needs /dev/full",
}, () => {
  const fd = openSync("/dev/full", "w");
  const stream: OutputStream = { fd, writableLength: 0, write: () => assert.fail("not by the stream"), on: () => {} };
  const output = createOutput(stream, { describeDropped });
  for (let line = 0; line < 3; line++) output.write("one\ntwo\n");
  assert.equal(output.dropped(), 6);
  closeSync(fd);
});

test(
  "a reader that stands still costs a bounded amount of memory, and is given the count when it reads again",
  onEither,
  async (t) => {
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const { port } = server.address() as { port: number }; // it listens on TCP
    const writer = connect(port, "127.0.0.1");
    const [reader] = (await once(server, "connection")) as [Socket]; // by the documentation of the event
    t.after(() => [writer, reader].map((socket) => socket.destroy()));
    const output = createOutput(Object.assign(writer, { fd: -1 }), { describeDropped });
    const line = `${"x".repeat(9_999)}\n`;
    let written = 0;
    for (; written < 3_000; written++) output.write(line);
    assert.ok(writer.writableLength < 2_000_000, `${writer.writableLength}`);
    const dropped = output.dropped();
    assert.ok(dropped > 0);
    await output.flush();
    let text = "";
    reader.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    reader.resume();
    while (writer.writableLength > 0) await once(writer, "drain");
    output.write(line);
    writer.end();
    await once(reader, "end");
    assert.match(text, new RegExp(`\ndropped ${dropped}\nx`));
    assert.equal(text.split(line).length - 1, written + 1 - dropped);
  },
);
