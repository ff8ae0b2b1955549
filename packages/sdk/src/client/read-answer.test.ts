import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { clientOf } from "../testing/played-server.ts";
import { createDeadline } from "./deadline.ts";
import { readBytes, readText } from "./read-answer.ts";
import { splitLines } from "./split-lines.ts";

const tooLarge = { name: "ApiError", code: "unexpected_answer", message: /too large/ };

/** An endless answer; `isCancelled` tells whether its reader let go of it. */
function createEndless(text: string) {
  const state = { isCancelled: false };
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    cancel: () => {
      state.isCancelled = true;
    },
  });
  return { response: new Response(body), state };
}

test("an answer without an end is given up at its bound, whole or in lines, and nothing more of it is read", async () => {
  for (const read of [readBytes, readText]) {
    const { response, state } = createEndless("a".repeat(100));
    await assert.rejects(read(response, 1000), tooLarge);
    assert.ok(state.isCancelled);
  }
  const { response, state } = createEndless("a".repeat(100));
  const deadline = createDeadline();
  await assert.rejects(splitLines(response, deadline, 1000).next(), tooLarge);
  deadline.end();
  assert.ok(state.isCancelled);
  assert.equal(await readText(new Response("a".repeat(1000)), 1000), "a".repeat(1000));
  assert.equal(await readText(new Response("a€\ufffd"), 7), "a€\ufffd");
});

test("a stream of many lines has no bound but that of each line", async () => {
  const deadline = createDeadline();
  const lines: string[] = [];
  const response = new Response(`${"a".repeat(9)}\n`.repeat(100));
  for await (const line of splitLines(response, deadline, 10)) lines.push(line);
  deadline.end();
  assert.equal(lines.length, 100);
});

test("a refusal of many megabytes, small as gzip, is read no further than a sentence needs", async (t) => {
  const body = gzipSync(JSON.stringify({ error: "bad_request", message: "a".repeat(2_000_000) }));
  assert.ok(body.length < 10_000);
  const client = await clientOf(t, (_, response) => {
    response.writeHead(400, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
  });
  await assert.rejects(client.forms.list(), tooLarge);
});
