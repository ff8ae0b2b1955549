import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { codeOf } from "../problems/code-of.ts";
import { onEither } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";

/** Everything that comes back until the service closes the connection. */
async function sendRequest(service: TestService, request: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname);
  await once(socket, "connect");
  socket.write(request);
  return text(socket);
}

const malformed: readonly (readonly [string, string, number])[] = [
  ["no HTTP at all", "hello\r\n\r\n", 400],
  ["an unknown method", "BREW /health/live HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["headers without end", `GET /health/live HTTP/1.1\r\nHost: a\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`, 431],
  [
    "two lengths of one body",
    "POST /api/forms HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  ["no Host", "GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  ["a second Host", "GET /health/live HTTP/1.1\r\nHost: a\r\nhOST: evil\r\nConnection: close\r\n\r\n", 400],
  ["the same Host twice", "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n", 400],
  ["a broken header", "GET /health/live HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n", 400],
];

for (const [name, request, status] of malformed)
  test(`${name} is refused like everything else, and the connection ends`, onEither, async (t) => {
    const service = await createTestService(t);
    const answer = await sendRequest(service, request);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    const [first = "", ...headers] = head.split("\r\n");
    assert.ok(first.startsWith(`HTTP/1.1 ${status} `), first);
    assert.match(headers.join("\n"), /^x-request-id: [0-9a-f-]{36}$/m);
    for (const header of ["content-security-policy", "x-content-type-options", "cross-origin-resource-policy"])
      assert.match(headers.join("\n"), new RegExp(`^${header}: `, "m"));
    assert.match(headers.join("\n"), /^connection: close$/im);
    assert.ok(headers.includes(`content-length: ${body.length}`));
    const { error, message, code, ...others } = JSON.parse(body);
    assert.deepEqual([error, code, others], ["bad_request", codeOf(message), {}]);
    assert.match(code, /^http_/);
  });

test(
  "a request to be a proxy is refused with an answer like every other, and the connection ends",
  onEither,
  async (t) => {
    const service = await createTestService(t);
    const answer = await sendRequest(service, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    assert.match(head, /^x-request-id: [0-9a-f-]{36}\r$/m);
    for (const header of ["allow: ", "connection: close", `content-length: ${body.length}`, "cache-control: no-store"])
      assert.ok(head.split("\r\n").includes(header), header);
    assert.deepEqual(JSON.parse(body), {
      error: "method_not_allowed",
      message: "This service is not a proxy",
      code: "no_proxy",
    });
  },
);

test("what follows a good request on the same connection is refused after its answer", onEither, async (t) => {
  const service = await createTestService(t);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname);
  socket.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n");
  const [first] = await once(socket, "data");
  assert.match(String(first), /^HTTP\/1.1 200 /);
  socket.write("hello\r\n\r\n");
  assert.match(await text(socket), /^HTTP\/1.1 400 /);
});

test("other expectations than 100-continue are ignored, and HTTP/1.0 needs no Host", onEither, async (t) => {
  const service = await createTestService(t);
  for (const request of [
    "GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n",
    "GET /health/live HTTP/1.0\r\n\r\n",
  ]) {
    const answer = await sendRequest(service, request);
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*cross-origin-resource-policy: same-origin/);
  }
});
