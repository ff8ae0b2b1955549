import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";

const tooMany = "Too many requests. Please try again later.";

function from(address: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { "x-forwarded-for": address } };
}

/** A service that believes the address which a proxy on this machine names, so that tests can be many clients. */
function createProxiedService(
  t: TestScope,
  environment: Readonly<Record<string, string>>,
  signInRate = 0,
): Promise<TestService> {
  return createTestService(t, {
    environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128", ...environment },
    signInRate,
  });
}

/** A service with proxies is not for this machine alone, so its first account has to show the set-up token. */
async function signUp(service: TestService, email: string): Promise<TestAccount> {
  const body = { email, password: "correct horse battery", setupToken: service.setupToken };
  const created = await service.request("POST", "/api/auth/sign-up/email", { body });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  const { token } = issued.body;
  return {
    id: created.body.user.id,
    token,
    cookie,
    request: (method, path, body) => service.request(method, path, { token, body }),
  };
}

function assertRefused(answer: { status: number; headers: Headers; body: unknown }): void {
  assert.equal(answer.status, 429);
  const seconds = Number(answer.headers.get("retry-after"));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
  assert.deepEqual(answer.body, {
    error: "rate_limited",
    message: tooMany,
    code: "too_many_requests",
    retryAfter: seconds,
  });
}

test("an account and each of its keys have a rate of their own, shown in headers", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "3" } });
  const account = await service.signUp();
  const key = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key.key;
  for (const token of [account.token, key]) {
    for (const remaining of [2, 1, 0]) {
      const answer = await service.request("GET", "/api/forms", { token });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("ratelimit-policy"), '"api";q=3;w=60');
      assert.match(answer.headers.get("ratelimit") ?? "", new RegExp(`^"api";r=${remaining};t=[0-9]+$`));
      assert.equal(answer.headers.get("retry-after"), null);
    }
    const refused = await service.request("GET", "/api/forms", { token });
    assertRefused(refused);
    assert.match(refused.headers.get("ratelimit") ?? "", /^"api";r=0;t=[0-9]+$/);
  }
});

test("a key that lacks the permission is counted all the same", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "2" } });
  const account = await service.signUp();
  const body = { name: "Key", permissions: ["submissions:read"] };
  const token = (await account.request("POST", "/api/api-keys", body)).body.key.key;
  const statuses = [];
  for (let request = 0; request < 3; request++)
    statuses.push((await service.request("GET", "/api/forms", { token })).status);
  assert.deepEqual(statuses, [403, 403, 429]);
});

test("guessing credentials is limited per address, and affects neither neighbours nor clients with a valid credential", async (t) => {
  const service = await createProxiedService(t, { SEALPOST_API_RATE: "4" });
  const account = await signUp(service, "one@example.com");
  const guess = (address: string) =>
    service.request("GET", "/api/forms", { token: `sp_${"0".repeat(36)}`, ...from(address) });
  const statuses = [];
  for (let request = 0; request < 5; request++) statuses.push((await guess("203.0.113.1")).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
  assertRefused(await guess("203.0.113.1"));
  assert.equal((await guess("203.0.113.2")).status, 401);
  const principal = await service.request("GET", "/api/forms", { token: account.token, ...from("203.0.113.1") });
  assert.equal(principal.status, 200);
});

test("no answer tells how often others of the same network have asked: what is left is shown to sessions and keys alone", async (t) => {
  const service = await createProxiedService(t, { SEALPOST_SUBMIT_RATE: "60", SEALPOST_API_RATE: "600" }, 10);
  await signUp(service, "owner@example.com");
  const form = createId("form", Date.now());
  for (const [method, path] of [
    ["POST", `/api/forms/${form}/submissions`],
    ["GET", `/api/forms/${form}/public`],
    ["GET", "/api/forms"],
    ["POST", "/api/auth/sign-in/email"],
    ["POST", "/api/auth/request-password-reset"],
    ["GET", "/api/auth/get-session"],
  ] as const) {
    const body = method === "POST" ? {} : undefined;
    const { headers } = await service.request(method, path, { body, ...from("203.0.113.1") });
    assert.ok(headers.get("ratelimit-policy") !== null || path.endsWith("reset"), path);
    assert.equal(headers.get("ratelimit"), null, path);
  }
});

test("the 21st request in a minute to the API key endpoints is refused with the contract's sentence", async (t) => {
  const service = await createTestService(t);
  const [one, other] = [await service.signUp(), await service.signUp()];
  for (let request = 1; request <= 20; request++) {
    const answer = await one.request("GET", "/api/api-keys");
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("ratelimit") ?? "", new RegExp(`^"api-keys";r=${20 - request};t=[0-9]+$`));
    assert.equal(answer.headers.get("ratelimit-policy"), '"api-keys";q=20;w=60');
  }
  for (const [method, path] of [
    ["GET", "/api/api-keys"],
    ["POST", "/api/api-keys"],
    ["DELETE", "/api/api-keys/key_0"],
  ] as const) {
    const refused = await one.request(method, path);
    assert.equal(refused.status, 429);
    const retryAfter = Number(refused.headers.get("retry-after"));
    assert.ok(retryAfter >= 1 && retryAfter <= 60);
    assert.deepEqual(refused.body, { error: tooMany, code: "too_many_requests", retryAfter });
  }
  assert.equal((await other.request("GET", "/api/api-keys")).status, 200);
  assert.equal((await one.request("GET", "/api/forms")).status, 200);
});

test("submissions are limited per client and form, and a refusal can be read by the page that posted", async (t) => {
  const service = await createProxiedService(t, { SEALPOST_SUBMIT_RATE: "2" });
  const account = await signUp(service, "one@example.com");
  const create = async (name: string) =>
    (await account.request("POST", "/api/forms", { name, settings: { encryption: false } })).body.form.id;
  const [one, other] = [await create("One"), await create("Other")];
  const post = (formId: string, address: string) =>
    service.request("POST", `/api/forms/${formId}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } },
      headers: { ...from(address).headers, origin: "https://shop.example" },
    });
  const client = "2001:db8:1:2::1";
  assert.equal((await post(one, client)).status, 201);
  assert.equal((await post(one, "2001:db8:1:2::ffff")).status, 201);
  const refused = await post(one, client);
  assertRefused(refused);
  assert.equal(refused.headers.get("access-control-allow-origin"), "*");
  assert.match(refused.headers.get("access-control-expose-headers") ?? "", /Retry-After/);
  assert.equal((await post(one, "2001:db8:1:3::1")).status, 201);
  assert.equal((await post(other, client)).status, 201);
  const preflight = await service.request("OPTIONS", `/api/forms/${one}/submissions`, from(client));
  assert.equal(preflight.status, 204);
  const list = await account.request("GET", `/api/forms/${one}/submissions`);
  assert.equal(list.body.total, 3);
});

test("made-up form ids share one rate per client, and do not touch those of forms that exist", async (t) => {
  const service = await createProxiedService(t, { SEALPOST_SUBMIT_RATE: "3" });
  const account = await signUp(service, "one@example.com");
  const created = await account.request("POST", "/api/forms", { name: "One", settings: { encryption: false } });
  const post = (formId: string, address: string) =>
    service.request("POST", `/api/forms/${formId}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: {} } },
      ...from(address),
    });
  const statuses = [];
  for (let request = 0; request < 5; request++) statuses.push((await post(createId("form"), "203.0.113.1")).status);
  assert.deepEqual(statuses, [404, 404, 404, 429, 429]);
  assert.equal((await post("form_%00", "203.0.113.1")).status, 429);
  for (const address of ["203.0.113.1", "203.0.113.2"]) {
    const answers = [];
    for (let request = 0; request < 4; request++) answers.push((await post(created.body.form.id, address)).status);
    assert.deepEqual(answers, [201, 201, 201, 429]);
  }
});

test("an address may send 10 MiB of bodies a minute to a form, in whatever way, and then nothing before the minute is over", async (t) => {
  const service = await createProxiedService(t, { SEALPOST_SUBMIT_RATE: "60" });
  const account = await signUp(service, "one@example.com");
  const settings = { encryption: false, allowedOrigins: ["*"] };
  const create = async (name: string) =>
    (await account.request("POST", "/api/forms", { name, settings })).body.form.id as string;
  const [form, other] = [await create("Form"), await create("Other")];
  const text = JSON.stringify({
    payload: { encrypted: false, version: "plain1", fields: { a: "x".repeat(1_000_000) } },
  });
  const post = async (formId: string, address: string, isChunked: boolean) => {
    const answer = await fetch(`${service.url}/api/forms/${formId}/submissions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: isChunked ? new Blob([text]).stream() : text,
      ...(isChunked && { duplex: "half" }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  for (const isChunked of [false, true]) {
    const address = `203.0.113.${isChunked ? 1 : 2}`;
    for (let number = 0; number < 10; number++) assert.equal((await post(form, address, isChunked)).status, 201);
    assertRefused(await post(form, address, isChunked));
    assert.equal((await post(other, address, isChunked)).status, 201, "each form has its own");
  }
  assert.equal((await post(form, "203.0.113.3", false)).status, 201, "and each address");
  assert.equal((await account.request("GET", `/api/forms/${form}/submissions?limit=1`)).body.total, 21);
});

test("without a trusted proxy, a header can't make a client another one", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "2" } });
  const statuses = [];
  for (const address of ["203.0.113.1", "203.0.113.2", "203.0.113.3"])
    statuses.push((await service.request("GET", "/api/forms", from(address))).status);
  assert.deepEqual(statuses, [401, 401, 429]);
});

test("the eleventh attempt to sign in or up within a minute is refused, per address", async (t) => {
  const service = await createProxiedService(t, {}, 10);
  const attempt = (path: string, number: number, address: string) =>
    service.request("POST", `/api/auth/${path}`, {
      body: { email: `person-${number}@example.com`, password: "short" },
      ...from(address),
    });
  for (let number = 0; number < 10; number++) {
    const path = number % 2 === 0 ? "sign-in/email" : "sign-up/email";
    assert.notEqual((await attempt(path, number, "203.0.113.1")).status, 429);
  }
  assertRefused(await attempt("sign-in/email", 10, "203.0.113.1"));
  assertRefused(await attempt("sign-up/email", 11, "203.0.113.1"));
  assert.notEqual((await attempt("sign-in/email", 12, "203.0.113.2")).status, 429);
});

test("the eleventh attempt within a minute on one email address is refused, wherever it comes from", async (t) => {
  const service = await createProxiedService(t, {}, 10);
  const attempt = (email: string, number: number) =>
    service.request("POST", "/api/auth/sign-in/email", {
      body: { email, password: "correct horse battery" },
      ...from(`203.0.113.${number}`),
    });
  for (let number = 0; number < 10; number++) assert.equal((await attempt("one@example.com", number)).status, 401);
  assertRefused(await attempt(" ONE@example.com", 10));
  assert.equal((await attempt("other@example.com", 11)).status, 401);
});

test("a rate of 0 switches a limit off", async (t) => {
  const service = await createTestService(t);
  const statuses = new Set();
  for (let request = 0; request < 700; request++) {
    const answer = await service.request("GET", "/api/forms");
    statuses.add(answer.status);
    assert.equal(answer.headers.get("ratelimit"), null);
  }
  assert.deepEqual([...statuses], [401]);
});

test("health checks and embed scripts are not counted", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "1", SEALPOST_SUBMIT_RATE: "1" } });
  for (const path of ["/health/live", "/health/ready", "/embed/sealpost.js"]) {
    for (let request = 0; request < 3; request++) assert.equal((await service.request("GET", path)).status, 200);
  }
});

test("a client whose proxy writes other text for each of its connections has one limit", async (t) => {
  for (const spell of [
    (port: number) => `198.51.100.8:${40_000 + port}`,
    (port: number) => `[2001:db8::1]:${40_000 + port}`,
    (port: number) => `_client-${port}`,
  ]) {
    const service = await createProxiedService(t, { SEALPOST_SUBMIT_RATE: "3" });
    const account = await signUp(service, "owner@example.com");
    const formId = await createForm(account, { encryption: false });
    const statuses = [];
    for (let port = 0; port < 6; port++) {
      const options = { body: { payload: "{}" }, ...from(spell(port)) };
      statuses.push((await service.request("POST", `/api/forms/${formId}/submissions`, options)).status);
    }
    assert.deepEqual(statuses.slice(3), [429, 429, 429], `${spell(0)}: ${statuses}`);
  }
});
