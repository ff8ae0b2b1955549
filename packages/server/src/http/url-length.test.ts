import assert from "node:assert/strict";
import { request } from "node:http";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { urlCharactersMax } from "./url-length.ts";

/** Without the check against the API document, which lists no refusal that any address may have. */
async function ask(service: TestService, method: string, path: string, headers: Record<string, string> = {}) {
  const asked = request({ host: "127.0.0.1", port: new URL(service.url).port, method, path, headers }).end();
  const answer = await new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
    asked.on("response", resolve).on("error", reject),
  );
  return { status: answer.statusCode, headers: answer.headers, body: await json(answer) };
}

const padTo = (start: string, length: number) => start.padEnd(length, "a");

test("an address of 8 KiB is read, and one with a character more is refused with 414, in the query and in the path", async (t) => {
  assert.equal(urlCharactersMax, 8 * 1024);
  const service = await createTestService(t);
  const { token } = await service.signUp();
  const authorization = { authorization: `Bearer ${token}` };
  const refused = {
    error: "bad_request",
    message: "The address has more than 8192 characters",
    code: "address_too_long",
  };
  for (const [method, start, atMost, body, headers = {}] of [
    ["GET", "/health/live?", 200, refused],
    ["GET", "/api/forms/", 404, refused, authorization],
    ["GET", "/nothing/", 404, refused],
    ["PUT", "/api/forms?", 405, refused],
    ["GET", "/api/forms/form_1/public?", 404, refused],
    ["GET", "/api/api-keys?", 400, { error: refused.message, code: refused.code }, authorization],
  ] as const) {
    const name = `${method} ${start}`;
    assert.equal((await ask(service, method, padTo(start, 8_192), headers)).status, atMost, name);
    const answer = await ask(service, method, padTo(start, 8_193), headers);
    assert.deepEqual([answer.status, answer.body], [414, body], name);
    assert.match(String(answer.headers["x-request-id"]), /^[0-9a-f-]{36}$/, name);
    assert.equal(answer.headers["x-content-type-options"], "nosniff", name);
    assert.equal(answer.headers["access-control-allow-origin"], start.includes("public") ? "*" : undefined, name);
  }
  assert.equal((await ask(service, "GET", padTo("/health/live?", 15_000))).status, 414);
});
