import assert from "node:assert/strict";
import { test } from "node:test";
import { createOperationCalls } from "../../../../tests/contract/operation-calls.ts";
import { listDocumentOperations } from "../../../../tests/contract/operations.ts";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { showCode } from "../accounts/testing/authenticator.ts";
import { createForm, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { freshMilliseconds, isFresh } from "./fresh-session.ts";

const password = "correct horse battery";
const stale = { error: "Sign in again to do this", code: "session_stale" };
const minute = 60_000;

async function start(t: TestScope) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp("owner@example.com");
  let { cookie } = account;
  /** As this browser's page asks; takes over the session that an answer gives. */
  async function post(path: string, body: object) {
    const headers = { cookie, origin: service.url };
    const answer = await service.request("POST", path.startsWith("/api/") ? path : `/api/auth${path}`, {
      body,
      headers,
    });
    cookie =
      answer.headers
        .getSetCookie()
        .find((line) => /session=[^;]/.test(line))
        ?.split(";")[0] ?? cookie;
    return answer;
  }
  const createKey = () => post("/api/api-keys", { name: "Key" });
  return { clock, service, account, post, createKey };
}

/** Turns the second factor on. Its code is used up by that; the app's next one is taken early. */
async function turnOn(post: Awaited<ReturnType<typeof start>>["post"]): Promise<string> {
  const { totpURI } = (await post("/two-factor/enable", { password })).body;
  assert.equal((await post("/two-factor/verify-totp", { code: showCode(totpURI) })).status, 200);
  return totpURI;
}

test("an hour after its sign-in a session makes no API key and reads and rotates no webhook secret, until the password is entered again", async (t) => {
  const { clock, service, account, post, createKey } = await start(t);
  const formId = await createForm(account, {});
  const rotate = (by: Pick<TestAccount, "request">) => by.request("POST", `/api/forms/${formId}/webhook-secret/rotate`);
  clock.advance(freshMilliseconds);
  const { key } = (await createKey()).body.key;
  clock.advance(1);
  for (const refused of [await createKey(), await account.request("POST", "/api/api-keys", { name: "Key" })])
    assert.deepEqual([refused.status, refused.body], [403, stale], "by cookie and by token");
  const { status, body } = await rotate(account);
  assert.deepEqual([status, body], [403, { error: "forbidden", message: stale.error, code: stale.code }]);
  const show = (by: Pick<TestAccount, "request">) => by.request("GET", `/api/forms/${formId}/webhook-secret`);
  const shown = await show(account);
  assert.deepEqual([shown.status, shown.body], [403, body], "the secret forges events also after the session");
  assert.equal((await account.request("PATCH", `/api/forms/${formId}`, { name: "Other" })).status, 200);
  const byKey = { request: (method: string, path: string) => service.request(method, path, { token: key }) };
  assert.equal((await rotate(byKey)).status, 200, "an API key may do what its permissions say");
  assert.equal((await show(byKey)).status, 200);

  const wrong = await post("/freshen-session", { password: "wrong horse battery" });
  assert.deepEqual([wrong.status, wrong.body.details], [400, { password: "The password is wrong" }]);
  assert.equal((await post("/freshen-session", {})).status, 400);
  assert.equal((await createKey()).status, 403);
  assert.deepEqual((await post("/freshen-session", { password })).body, { status: true });
  assert.equal((await createKey()).status, 200);
  assert.equal((await rotate(account)).status, 200, "the session's token is as fresh as the session");
  assert.equal((await show(account)).status, 200);
  const entries = await account.request("GET", "/api/audit-log");
  assert.equal(
    entries.body.entries.filter(({ action }: { action: string }) => action === "session.confirmed").length,
    1,
  );

  clock.advance(freshMilliseconds + 1);
  assert.equal((await post("/sign-in/email", { email: "owner@example.com", password })).status, 200);
  assert.equal((await createKey()).status, 200, "a fresh sign-in always suffices");
});

test("an hour after its sign-in a session points no webhook elsewhere, ends no sealing and changes no keys; it still takes away and seals", async (t) => {
  const { clock, service, account, post } = await start(t);
  const path = `/api/forms/${await createForm(account, { webhookUrl })}`;
  const plain = `/api/forms/${await createForm(account, { encryption: false })}`;
  const { key } = (await post("/api/api-keys", { name: "Key" })).body.key;
  const { publicKey } = takeKeyPair();
  const change = (settings: object) => ["PATCH", path, { settings }] as const;
  const guarded = [
    change({ webhookUrl: "https://elsewhere.example.com/" }),
    change({ encryption: false }),
    ["POST", `${path}/rotate-keys`, { publicKey }],
  ] as const;
  clock.advance(freshMilliseconds + 1);
  for (const [method, url, body] of guarded) {
    const refused = await account.request(method, url, body);
    assert.deepEqual(
      [refused.status, refused.body],
      [403, { error: "forbidden", message: stale.error, code: stale.code }],
    );
  }
  const { form } = (await account.request("GET", path)).body;
  assert.deepEqual([form.settings.webhookUrl, form.settings.encryption], [webhookUrl, true]);
  const same = [
    change({ webhookUrl, encryption: true, binDays: 1 }),
    change({ webhookUrl: null }),
    ["PATCH", plain, { settings: { encryption: true } }],
  ] as const;
  for (const [method, url, body] of same) assert.equal((await account.request(method, url, body)).status, 200);
  const byKey = await service.request("PATCH", path, { token: key, body: { settings: { webhookUrl } } });
  assert.equal(byKey.status, 200, "an API key may do what its permissions say");
  await post("/freshen-session", { password });
  for (const [method, url, body] of guarded) assert.equal((await account.request(method, url, body)).status, 200);
});

test("an hour after its sign-in a session makes nothing that it may not change: no form, whichever its settings and keys, and nothing else", async (t) => {
  const { clock, service, account, post } = await start(t);
  const { publicKey } = takeKeyPair();
  const { key } = (await post("/api/api-keys", { name: "Key" })).body.key;
  const calls = createOperationCalls(service, { hasWebhooks: false });
  // An id that no form has yet, and a question that another device answers, in a fresh session.
  const harmless = ["reserveForm", "createDeviceRequest"];
  const making = listDocumentOperations(service.app.swagger()).filter(
    ({ operationId, access }) => access !== "public" && access !== "operator" && /^(create|reserve)/.test(operationId),
  );
  const requests = await Promise.all(
    making.map(async (operation) => ({
      operation,
      request: calls.prepare(operation, await calls.createIds(account, operation)),
    })),
  );
  const forms = [{}, { publicKey }, { settings: { webhookUrl } }, { settings: { encryption: false } }];
  const old = await createForm(account, { webhookUrl }, "Contact");
  clock.advance(freshMilliseconds + 1);
  assert.equal((await account.request("PATCH", `/api/forms/${old}`, { name: "Contact (old)" })).status, 200);
  for (const form of forms) {
    const refused = await account.request("POST", "/api/forms", { name: "Contact", ...form });
    assert.deepEqual([refused.status, refused.body.code], [403, stale.code], JSON.stringify(form));
  }
  for (const { operation, request } of requests) {
    const { status } = await service.request(request.method, request.path, {
      token: account.token,
      body: request.body,
      headers: request.headers ?? {},
    });
    assert.equal(status === 403, !harmless.includes(operation.operationId), `${operation.operationId}: ${status}`);
  }
  assert.ok(making.length > 4, "a control");
  const byKey = { name: "By key", settings: { webhookUrl } };
  assert.equal((await service.request("POST", "/api/forms", { token: key, body: byKey })).status, 200);
  await post("/freshen-session", { password });
  const created = await account.request("POST", "/api/forms", { name: "Contact", settings: { webhookUrl } });
  assert.equal(created.status, 200);
  const detailsOf = async (formId: string, action: string) =>
    (await account.request("GET", `/api/audit-log?target=${formId}&action=${action}`)).body.entries[0]?.details;
  const changes = [{ setting: "webhookUrl", from: null, to: webhookUrl }];
  assert.deepEqual(await detailsOf(created.body.form.id, "form.created"), { changes });
  const renamed = [{ setting: "name", from: "Contact", to: "Contact (old)" }];
  assert.deepEqual(await detailsOf(old, "form.updated"), { changes: renamed });
});

test("nobody freshens a session from another page, without one, or with another account's password", async (t) => {
  const { clock, service, account, post } = await start(t);
  const other = await service.signUp("other@example.com");
  clock.advance(freshMilliseconds + 1);
  const path = "/api/auth/freshen-session";
  for (const headers of [{}, { cookie: account.cookie }, { cookie: account.cookie, origin: "https://evil.example" }])
    assert.equal((await service.request("POST", path, { body: { password }, headers })).status, 401);
  assert.equal(
    (await service.request("POST", path, { body: { password }, headers: { origin: service.url } })).status,
    401,
  );
  await post("/freshen-session", { password });
  assert.equal((await other.request("POST", "/api/api-keys", { name: "Key" })).status, 403, "each session has its own");
});

test("with a second factor a session is freshened by password and code, and the password alone does nothing", async (t) => {
  const { clock, post, createKey } = await start(t);
  const uri = await turnOn(post);
  clock.advance(freshMilliseconds + 1);
  assert.equal((await post("/freshen-session", { password })).status, 400);
  const changed = await post("/change-password", { currentPassword: password, newPassword: "another horse battery" });
  assert.equal(changed.status, 200);
  assert.equal((await createKey()).status, 403, "a changed password makes a session no fresher");
  const confirmation = { password: "another horse battery", code: showCode(uri, Date.now() + 30_000) };
  assert.equal((await post("/freshen-session", confirmation)).status, 200);
  assert.equal((await createKey()).status, 200);
  const again = await post("/freshen-session", confirmation);
  assert.deepEqual([again.status, Object.keys(again.body.details)], [400, ["code"]], "a code is used up");
});

test("the second factor is not turned on by a session whose password was entered more than an hour ago", async (t) => {
  const { clock, post } = await start(t);
  clock.advance(freshMilliseconds + 1);
  const { totpURI } = (await post("/two-factor/enable", { password })).body;
  clock.advance(freshMilliseconds + 1);
  const code = showCode(totpURI);
  const refused = await post("/two-factor/verify-totp", { code });
  assert.deepEqual([refused.status, refused.body.code], [403, "session_stale"]);
  await post("/freshen-session", { password });
  assert.equal((await post("/two-factor/verify-totp", { code })).status, 200);
});

test("a sign-in that a wrong clock put into the future proves nothing", () => {
  assert.equal(isFresh(1_000_000, 1_000_000 - 2 * minute), false);
  assert.equal(isFresh(1_000_000, 1_000_000 - minute), true);
});
