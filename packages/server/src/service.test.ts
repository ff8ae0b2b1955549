import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, parseConfig } from "./config/config.ts";
import { startService } from "./service.ts";
import { createTemporaryFolder } from "./testing/temporary-folder.ts";
import { onSqlite } from "./testing/test-database.ts";
import { createTestService } from "./testing/test-service.ts";
import { systemClock } from "./time/clock.ts";

test("the first start makes a secret that only this user can read", onSqlite, async (t) => {
  const service = await createTestService(t, { folder: createTemporaryFolder(t) });
  assert.equal(statSync(join(service.folder, "secret")).mode & 0o777, 0o600);
});

test("the database is made for this user's eyes alone", onSqlite, async (t) => {
  const service = await createTestService(t, { folder: createTemporaryFolder(t) });
  await service.signUp();
  for (const file of ["sealpost.sqlite", "sealpost.sqlite-wal", "sealpost.sqlite-shm"])
    assert.equal(statSync(join(service.folder, file)).mode & 0o777, 0o600, file);
});

test("a database does not start with another secret than it was made with, nor without one, and makes none", async (t) => {
  const folder = createTemporaryFolder(t);
  const config = (secret: string | undefined) =>
    parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent", SEALPOST_SECRET: secret });
  const first = randomBytes(32).toString("base64");
  await (await startService({ config: config(first), clock: systemClock })).stop();
  await assert.rejects(
    startService({ config: config(randomBytes(32).toString("base64")), clock: systemClock }),
    ConfigError,
  );
  await assert.rejects(startService({ config: config(undefined), clock: systemClock }), {
    errors: [
      `The secret of this instance is missing: ${join(folder, "secret")} is not there, and SEALPOST_SECRET is not set`,
    ],
  });
  assert.ok(!existsSync(join(folder, "secret")));
  await (await startService({ config: config(first), clock: systemClock })).stop();
});

test("every answer says what it is, and nothing about who made it", async (t) => {
  const service = await createTestService(t);
  for (const path of ["/health/live", "/api/forms", "/nothing", "/embed/sealpost.js", "/embed/nothing.js"]) {
    const { headers } = await service.request("GET", path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("referrer-policy"), "no-referrer", path);
    assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/, path);
    assert.equal(headers.get("server"), null, path);
    assert.equal(headers.get("x-powered-by"), null, path);
  }
});

test("an unknown address is 404, a wrong method 405 with the right ones named", async (t) => {
  const service = await createTestService(t);
  const unknown = await service.request("GET", "/api/nothing");
  assert.deepEqual([unknown.status, unknown.body.error], [404, "not_found"]);
  const wrong = await service.request("PUT", "/api/forms");
  assert.deepEqual([wrong.status, wrong.body.error], [405, "method_not_allowed"]);
  assert.match(wrong.headers.get("allow") ?? "", /GET.*POST/);
});

test("a body that is not uncompressed JSON is refused with 415", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  for (const headers of [
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/json", "content-encoding": "gzip" },
  ]) {
    const answer = await service.request("POST", "/api/forms", { token: account.token, body: '{"name":"a"}', headers });
    assert.equal(answer.status, 415, JSON.stringify(headers));
  }
  assert.equal((await account.request("GET", "/api/forms")).body.total, 0);
});

test("the embed is served under the name and the integrity that the embed code gives it", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const created = await account.request("POST", "/api/forms", { name: "Contact" });
  const { body } = await account.request("GET", `/api/forms/${created.body.form.id}`);
  const [, url, integrity] =
    /src="([^"]+)" integrity="sha384-([^"]+)" crossorigin="anonymous"/.exec(body.form.embedCode) ?? [];
  const answer = await fetch(url ?? "");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const digest = await crypto.subtle.digest("SHA-384", bytes);
  assert.equal(Buffer.from(digest).toString("base64"), integrity);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
  assert.match(answer.headers.get("cache-control") ?? "", /immutable/);
  const newest = await fetch(`${service.url}/embed/sealpost.js`);
  assert.deepEqual(new Uint8Array(await newest.arrayBuffer()), bytes);
  assert.equal(newest.headers.get("cache-control"), "public, max-age=300");
  const withKeyLog = await fetch(`${service.url}/embed/sealpost-key-log.js`);
  assert.match(withKeyLog.headers.get("content-location") ?? "", /^\/embed\/sealpost-key-log-[\d.]+-[0-9a-f]{16}\.js$/);
});

test("the stylesheet is served under a newest name that tells the one that stays, to pages of any origin", async (t) => {
  const service = await createTestService(t);
  const newest = await fetch(`${service.url}/embed/sealpost.css`);
  const path = newest.headers.get("content-location") ?? "";
  assert.match(path, /^\/embed\/sealpost-[\d.]+-[0-9a-f]{16}\.css$/);
  const lasting = await fetch(service.url + path);
  const text = await newest.text();
  assert.match(text, /^\.sealpost-form\{/);
  assert.equal(await lasting.text(), text);
  for (const [{ headers }, kept] of [
    [newest, "public, max-age=300"],
    [lasting, "public, max-age=31536000, immutable"],
  ] as const) {
    assert.equal(headers.get("content-type"), "text/css; charset=utf-8");
    assert.equal(headers.get("cache-control"), kept);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin");
  }
});

test("a wrong method is reported before anything about its body", async (t) => {
  const service = await createTestService(t);
  for (const method of ["PUT", "PATCH", "QUERY"])
    for (const headers of [{}, { "content-type": "text/plain" }, { "content-type": "application/json" }]) {
      const wrong = await service.request(method, "/api/forms", { body: "{", headers });
      assert.deepEqual([wrong.status, wrong.body.error], [405, "method_not_allowed"], method);
      const unknown = await service.request(method, "/api/nothing", { body: "{", headers });
      assert.deepEqual([unknown.status, unknown.body.error], [404, "not_found"], method);
    }
  const empty = await service.request("QUERY", "/api/forms");
  assert.deepEqual([empty.status, empty.body.error], [405, "method_not_allowed"]);
});

test("Allow names the methods of the address itself, not of another that a parameter would make of it", async (t) => {
  const service = await createTestService(t);
  for (const [path, methods] of [
    ["/api/forms/form_1/submissions/delete", "POST"],
    ["/api/forms/form_1/submissions/export", "GET"],
    ["/api/forms/form_1/submissions/other", "GET, DELETE"],
  ] as const) {
    const { headers } = await service.request("PUT", path);
    assert.deepEqual(headers.get("allow")?.split(", ").toSorted(), methods.split(", ").toSorted(), path);
  }
});

test("a browser that asks for an icon gets none, without an error", async (t) => {
  const service = await createTestService(t);
  assert.equal((await service.request("GET", "/favicon.ico")).status, 204);
});
