import assert from "node:assert/strict";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";

/** With headers that `fetch` does not let anybody set. */
async function ask(service: TestService, method: string, path: string, headers: Record<string, string>, body?: string) {
  const asked = request({ host: "127.0.0.1", port: new URL(service.url).port, method, path, headers });
  asked.end(body);
  const answer = await new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
    asked.on("response", resolve).on("error", reject),
  );
  return { status: answer.statusCode, headers: JSON.stringify(answer.rawHeaders), body: await text(answer) };
}

const foreign = {
  host: "evil.example",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  forwarded: "host=evil.example;proto=https",
  "x-original-url": "https://evil.example/",
};

test("a foreign Host gets into no link, redirect, cookie or error", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const authorization = `Bearer ${account.token}`;
  const credentials = JSON.stringify({ email: "person-1@example.com", password: "correct horse battery" });
  const json = { "content-type": "application/json" };
  const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
  const rows: readonly (readonly [method: string, path: string, Record<string, string>, string?])[] = [
    ["GET", "/", { accept: "text/html" }],
    ["GET", "/account/", { accept: "text/html" }],
    ["GET", "/docs/", {}],
    ["GET", "/docs", { accept: "text/html" }],
    ["GET", "/nothing", { accept: "text/html" }],
    ["GET", "/api/openapi.json", {}],
    ["GET", "/embed/sealpost.js", {}],
    ["GET", `/api/forms/${formId}`, { authorization }],
    ["GET", `/api/forms/${formId}/public`, {}],
    ["POST", "/api/forms", { authorization, ...json }, '{"name":"Another","settings":{"encryption":false}}'],
    ["POST", `/f/${formId}`, urlencoded, "message=hello&_next=/thanks"],
    ["POST", `/f/${formId}`, { ...urlencoded, accept: "application/json" }, "message=hello&_next=//evil.example/"],
    ["POST", "/api/auth/sign-in/email", json, credentials],
    ["GET", "/api/auth/get-session", { cookie: account.cookie }],
    ["GET", "/api/auth/token", { authorization, host: "[::1]" }],
    ["POST", "/api/auth/sign-in/email", { ...json, host: "a b" }, credentials],
    ["GET", "/api/forms", { authorization, host: "%" }],
    ["GET", "//evil.example/account", { accept: "text/html" }],
    ["GET", "http://evil.example/account/", { accept: "text/html" }],
  ];
  for (const [method, path, headers, body] of rows) {
    const answer = await ask(service, method, path, { ...foreign, ...headers }, body);
    const name = `${method} ${path}: ${answer.status}`;
    assert.ok((answer.status ?? 500) < 500, name);
    assert.doesNotMatch(answer.headers, /evil/, name);
    assert.doesNotMatch(answer.body, /evil\.example/, name);
  }
});

test("a sign-in under a foreign host name gets an error that says what to set, and API and session work under any", async (t) => {
  const service = await createTestService(t);
  const { token } = await service.signUp();
  const json = { ...foreign, "content-type": "application/json" };
  const refused = await ask(service, "POST", "/api/auth/sign-in/email", json, "{}");
  assert.equal(refused.status, 400);
  assert.match(refused.body, /SEALPOST_BASE_URL/);
  const answer = await ask(service, "GET", "/api/forms", { ...foreign, authorization: `Bearer ${token}` });
  assert.equal(answer.status, 200);
});

test("people sign in under whatever loopback address is configured, with a port or without", async (t) => {
  for (const baseUrl of ["http://localhost", "http://127.0.0.5:8080", "http://[::1]:8080"]) {
    const service = await createTestService(t, { environment: { SEALPOST_BASE_URL: baseUrl } });
    const address = service.app.server.address() as AddressInfo; // it listens on TCP
    const { setupToken } = service;
    const body = JSON.stringify({
      name: "Person",
      email: "one@example.com",
      password: "correct horse battery",
      setupToken,
    });
    const headers = { host: new URL(baseUrl).host, origin: baseUrl, "content-type": "application/json" };
    const url = `http://127.0.0.1:${address.port}`;
    const answer = await ask({ ...service, url }, "POST", "/api/auth/sign-up/email", headers, body);
    assert.equal(answer.status, 200, `${baseUrl}: ${answer.body}`);
    const cookie = /"(sealpost_session=[^;"]+)/.exec(answer.headers)?.[1] ?? "";
    const read = { host: headers.host, cookie, "sec-fetch-site": "same-origin" };
    assert.equal((await ask({ ...service, url }, "GET", "/api/forms", read)).status, 200, baseUrl);
  }
});

test("a page whose name was made to lead here is not our own, whatever its Host", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const { port } = new URL(service.url);
  const headers = { ...foreign, cookie, origin: `http://evil.example:${port}`, "content-type": "application/json" };
  const answer = await ask(service, "POST", "/api/forms", headers, '{"name":"Theirs"}');
  assert.equal(answer.status, 401);
});
