import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { writePieces } from "./write-pieces.ts";

async function* count(asked: string[]) {
  for (let piece = 0; piece < 5; piece++) {
    asked.push(`asked ${piece}`);
    yield String(piece);
  }
}

const never = new AbortController().signal;

test("a piece is asked for only when the one before is written", async () => {
  const log: string[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      setImmediate(() => {
        log.push(`wrote ${chunk}`);
        done();
      });
    },
  });
  await writePieces(output, count(log), never);
  assert.deepEqual(log, Array.from({ length: 5 }, (_, piece) => [`asked ${piece}`, `wrote ${piece}`]).flat());
});

test("a reader that has gone, and an interruption while one is slow, end it at that piece", async () => {
  const log: string[] = [];
  const broken = new Writable({
    write: (chunk, _encoding, done) => done(String(chunk) === "2" ? new Error("write EPIPE") : null),
  });
  broken.on("error", () => undefined);
  await assert.rejects(writePieces(broken, count(log), never), { message: "write EPIPE" });
  assert.deepEqual(log, ["asked 0", "asked 1", "asked 2"]);

  const controller = new AbortController();
  const stuck = new Writable({ write: () => setImmediate(() => controller.abort(new Error("enough"))) });
  await assert.rejects(writePieces(stuck, count([]), controller.signal), { message: "enough" });
});

test("an interruption lets the piece that is being written be finished, and its maker knows that it is", async () => {
  const log: string[] = [];
  const controller = new AbortController();
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (String(chunk) === "2") controller.abort(new Error("enough"));
      setImmediate(() => {
        log.push(`wrote ${chunk}`);
        done();
      });
    },
  });
  await assert.rejects(writePieces(output, count(log), controller.signal), { message: "enough" });
  assert.deepEqual(log.slice(-3), ["asked 2", "wrote 2", "asked 3"]);
});
