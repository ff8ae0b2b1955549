import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dashboardFolder } from "../../packages/dashboard/build.ts";
import { openerFile } from "../../packages/dashboard/build-opener.ts";
import { fillPath, pages } from "../../packages/dashboard/src/pages.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

/** The path of each page of the manifest, with an id where it has a parameter. */
const paths = Object.values(pages).map(({ path }) => fillPath(path, "form_x"));
const page = { headers: { accept: "text/html" } };

test("every page of the manifest is the one document, under the strict policy", async (t) => {
  const service = await createTestService(t);
  for (const path of [...paths, "/setup?token=x"]) {
    const { status, headers, body } = await service.request("GET", path, page);
    assert.equal(status, 200, path);
    assert.match(body, /<div id="root">/);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
    const policy = headers.get("content-security-policy") ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "worker-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types sealpost",
    ])
      assert.ok(policy.split("; ").includes(rule), `${rule} in ${policy}`);
    assert.doesNotMatch(policy, /unsafe/);
  }
});

test("the document holds no inline script or style and names nothing outside of the server", async (t) => {
  const service = await createTestService(t);
  const { body } = await service.request("GET", "/", page);
  assert.doesNotMatch(body, /<style|style=|<script(?![^>]*\ssrc="\/assets\/)|\son\w+=/i);
  for (const [, address] of body.matchAll(/(?:src|href)="([^"]*)"/g)) assert.match(address, /^(\/assets\/.*)?$/);
});

test("files have hashed names, are kept for ever and are asked for by no other name", async (t) => {
  const service = await createTestService(t);
  const { body } = await service.request("GET", "/", page);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(body)?.[1] ?? "";
  const { status, headers } = await service.request("GET", script);
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
  for (const path of [
    "/assets/none.js",
    "/assets/..%2findex.html",
    "/assets/%2e%2e/manifest.json",
    "/index.html",
    "/manifest.json",
  ])
    assert.equal((await service.request("GET", path, page)).status, 404, path);
});

test("only the pages of the app are pages: addresses of the API stay answers for programs", async (t) => {
  const service = await createTestService(t);
  for (const path of ["/api", "/api/nothing", "/embed/nothing.js", "/health/nothing", "/assets"]) {
    const { status, body } = await service.request("GET", path, page);
    assert.equal(status, 404, path);
    assert.equal(body.error, "not_found", path);
  }
  for (const accept of ["application/json", "*/*"]) {
    const { status, body } = await service.request("GET", "/nothing", { headers: { accept } });
    assert.deepEqual([status, body.error], [404, "not_found"], accept);
  }
  const asked = await service.request("GET", "/forms/x", { headers: { accept: "application/json" } });
  assert.equal(asked.status, 404);
  assert.equal((await service.request("POST", "/", { body: {} })).status, 405);
});

test("an address that does not exist is 404, and for a browser a page of the app under the same policy", async (t) => {
  const service = await createTestService(t);
  const below = paths.filter((path) => path !== "/").map((path) => `${path}/nothing/here`);
  for (const path of [...below, "/nothing", "/forms", "/wp-login.php", "/apis", "/account/x?y=<z>"]) {
    const { status, headers, body } = await service.request("GET", path, page);
    assert.equal(status, 404, path);
    assert.match(body, /<div id="root">/, path);
    assert.match(headers.get("content-security-policy") ?? "", /require-trusted-types-for 'script'/);
    assert.equal(headers.get("cache-control"), "no-store");
  }
  for (const path of paths.filter((one) => one !== "/")) {
    const { status, headers } = await service.request("GET", `${path}/`, page);
    assert.deepEqual([status, headers.get("location")], [308, path]);
  }
  assert.equal((await service.request("POST", "/nothing", { ...page, body: {} })).body.error, "not_found");
});

test("an address that can't be decoded is 400, and for a browser the page that says so", async (t) => {
  const service = await createTestService(t);
  const asked = await service.request("GET", "/%E0%A4%A", page);
  assert.deepEqual([asked.status, asked.headers.get("content-type")], [400, "text/html; charset=utf-8"]);
  assert.match(asked.body, /<div id="root">/);
  for (const header of ["content-security-policy", "x-content-type-options", "referrer-policy", "x-request-id"])
    assert.ok(asked.headers.has(header), header);
  for (const [method, path, headers] of [
    ["GET", "/%E0%A4%A", { accept: "*/*" }],
    ["GET", "/health/%E0%A4%A", page.headers],
    ["POST", "/%E0%A4%A", page.headers],
  ] as const) {
    const { status, body } = await service.request(method, path, { headers });
    assert.deepEqual([status, body.error], [400, "bad_request"], `${method} ${path}`);
  }
});

test("while the database is away the app is served all the same, so that it can say so", async (t) => {
  const service = await createTestService(t);
  await service.signUp();
  await service.database.destroy();
  assert.equal((await service.request("GET", "/health/ready")).status, 503);
  const { status, body } = await service.request("GET", "/account", page);
  assert.equal(status, 200);
  assert.match(body, /<div id="root">/);
});

test("the page says whether an account can be made, and nothing else about the instance", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_SIGNUP: "first" } });
  const stateOf = async () =>
    /name="sealpost-sign-up" content="([\w-]+)"/.exec((await service.request("GET", "/", page)).body)?.[1];
  assert.equal(await stateOf(), "first");
  await service.signUp();
  assert.equal(await stateOf(), "closed");
});

test("the set-up page of an open instance says that it stays open, and the log says for how many days it is kept", async (t) => {
  const environment = { SEALPOST_SIGNUP: "open", SEALPOST_DELIVERY_LOG_DAYS: "7" };
  const service = await createTestService(t, { environment });
  const { body } = await service.request("GET", "/", page);
  assert.match(body, /name="sealpost-sign-up" content="first-open"/);
  assert.match(body, /name="sealpost-delivery-log-days" content="7"/);
});

test("the opener is offered as a file to keep, byte for byte as it was built", async (t) => {
  const service = await createTestService(t);
  const built = readFileSync(join(dashboardFolder, openerFile));
  for (const headers of [{}, { "accept-encoding": "gzip" }]) {
    const answer = await fetch(`${service.url}/${openerFile}`, { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="sealpost-opener.html"');
    assert.equal(answer.headers.get("cache-control"), "no-cache");
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), built);
  }
});
