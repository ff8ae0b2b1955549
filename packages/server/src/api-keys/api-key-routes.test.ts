import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { createApiKeyValue } from "../authentication/api-key-value.ts";
import type { Plan } from "../config/config.ts";
import { codeOf } from "../problems/code-of.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";

const all = ["forms:read", "forms:write", "submissions:read", "submissions:delete"];

async function createKey(account: TestAccount, body: object = { name: "Key" }) {
  const answer = await account.request("POST", "/api/api-keys", body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.key as { id: string; name: string; key: string; permissions: string[]; createdAt: string };
}

async function setPlan(service: TestService, account: TestAccount, plan: Plan): Promise<void> {
  await service.database.updateTable("organization").set({ plan }).where("id", "=", account.id).execute();
}

test("a created key is shown once, with all four permissions unless it names some", async (t) => {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const answer = await account.request("POST", "/api/api-keys", { name: " Backup  " });
  assert.equal(answer.status, 200);
  const { key, warning } = answer.body;
  assert.deepEqual(Object.keys(key), ["id", "name", "key", "permissions", "createdAt"]);
  assert.match(key.id, /^key_[0-9a-z]{26}$/);
  assert.match(key.key, /^sp_[0-9A-Za-z]{36}$/);
  assert.equal(key.name, "Backup");
  assert.deepEqual(key.permissions, all);
  assert.equal(key.createdAt, "2026-01-15T12:00:00.000Z");
  assert.equal(warning, "Save this key now: it is shown only this once and cannot be recovered.");
  clock.advance(1);
  const narrow = await createKey(account, { name: "Reader", permissions: ["submissions:read", "forms:read"] });
  assert.deepEqual(narrow.permissions, ["forms:read", "submissions:read"]);

  const list = await account.request("GET", "/api/api-keys");
  assert.equal(list.body.total, 2);
  assert.deepEqual(list.body.keys[1], {
    id: key.id,
    name: "Backup",
    prefix: key.key.slice(0, 10),
    permissions: all,
    createdAt: "2026-01-15T12:00:00.000Z",
    lastUsed: null,
    maker: { id: account.id, name: "Person" },
  });
  assert.ok(!JSON.stringify(list.body).includes(key.key));
});

test("the database holds the SHA-256 of a key, and nowhere the key", async (t) => {
  const service = await createTestService(t);
  const { key } = await createKey(await service.signUp());
  const { rows } = await sql<Record<string, unknown>>`select * from api_key`.execute(service.database);
  assert.equal(rows[0]?.hash, createHash("sha256").update(key).digest("hex"));
  assert.ok(!JSON.stringify(rows).includes(key.slice(10)));
});

test("each wrong body is refused with the contract's sentence, and makes no key", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const rows: readonly (readonly [body: unknown, error: string])[] = [
    ["", "Key name is required"],
    [{}, "Key name is required"],
    [{ name: null }, "Key name is required"],
    [{ name: "" }, "Key name is required"],
    [{ name: " \t" }, "Key name is required"],
    [{ name: "\u200b\u2060\u00ad\u2800\uffa0" }, "Key name is required"],
    [{ name: 7 }, "Key name must be a text"],
    [{ name: "x".repeat(51) }, "Key name must be at most 50 characters"],
    [{ name: "a\u0000b" }, "Key name must not contain control characters"],
    ['{"name":"\\ud800"}', "Key name must not contain control characters"],
    [{ name: "a", permissions: ["forms:read", "forms:own"] }, "Invalid permission: forms:own"],
    [{ name: "a", permissions: [7] }, "Invalid permission: 7"],
    [{ name: "a", permissions: ["y".repeat(1000)] }, `Invalid permission: ${"y".repeat(64)}`],
    [{ name: "a", permissions: "forms:read" }, "Permissions must be a list"],
    [{ name: "a", permissions: null }, "Permissions must be a list"],
    [{ name: "a", permissions: [] }, "At least one permission is required"],
    [{ name: "a", plan: "enterprise" }, "Unknown member: plan"],
    ['{"name":"a","__proto__":{"permissions":[]}}', "Unknown member: __proto__"],
    ["[]", "The body must be a JSON object"],
    ["null", "The body must be a JSON object"],
    ['{"name":', "The body must be a JSON object"],
    [new Uint8Array([0x22, 0xff, 0x22]), "The body must be a JSON object"],
  ];
  const second = await service.signUp();
  for (const [index, [body, error]] of rows.entries()) {
    // Twenty requests a minute each.
    const { token } = index < 15 ? account : second;
    const answer = await service.request("POST", "/api/api-keys", { token, body });
    assert.deepEqual([answer.status, answer.body], [400, { error, code: codeOf(error) }], JSON.stringify(body));
  }
  const { rows: keys } = await sql`select id from api_key`.execute(service.database);
  assert.deepEqual(keys, []);
});

test("a name of 50 characters is taken, whatever they are made of", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  for (const name of ["x".repeat(50), "🔑".repeat(50)]) {
    const { id } = await createKey(account, { name });
    const list = await account.request("GET", "/api/api-keys");
    assert.equal(list.body.keys.find((key: { id: string }) => key.id === id).name, name);
  }
});

test("other refusals of these endpoints have the same shape: only a sentence", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const tooLarge = await account.request("POST", "/api/api-keys", { name: "x".repeat(70_000) });
  assert.deepEqual(
    [tooLarge.status, tooLarge.body],
    [413, { error: "The request body is too large", code: "body_too_large" }],
  );
  const text = await service.request("POST", "/api/api-keys", {
    token: account.token,
    body: "name=a",
    headers: { "content-type": "text/plain" },
  });
  assert.deepEqual(
    [text.status, text.body],
    [415, { error: "Send the body as application/json", code: "json_expected" }],
  );
  for (const [method, path] of [
    ["GET", "/api/api-keys"],
    ["POST", "/api/api-keys"],
    ["DELETE", `/api/api-keys/${createId("apiKey")}`],
  ] as const) {
    const answer = await service.request(method, path);
    assert.deepEqual(
      [answer.status, answer.body],
      [401, { error: "Invalid or missing authentication", code: "credential_invalid" }],
    );
    assert.equal(answer.headers.get("www-authenticate"), "Bearer");
  }
});

test("an API key, whatever it may do, can neither list nor make nor revoke keys", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { key, id } = await createKey(account);
  for (const [method, path] of [
    ["GET", "/api/api-keys"],
    ["POST", "/api/api-keys"],
    ["DELETE", `/api/api-keys/${id}`],
  ] as const) {
    const answer = await service.request(method, path, {
      token: key,
      body: method === "POST" ? { name: "a" } : undefined,
    });
    assert.deepEqual(
      [answer.status, answer.body],
      [401, { error: "Invalid or missing authentication", code: "credential_invalid" }],
    );
  }
  assert.equal((await account.request("GET", "/api/api-keys")).body.total, 1);
});

for (const [plan, max] of [
  ["free", 5],
  ["starter", 10],
] as const) {
  test(`an account on the ${plan} plan gets ${max} keys, also when it asks for more at once`, async (t) => {
    const service = await createTestService(t);
    const account = await service.signUp();
    await setPlan(service, account, plan);
    const answers = await Promise.all(
      Array.from({ length: max + 5 }, (_, index) => account.request("POST", "/api/api-keys", { name: `Key ${index}` })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, max);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      const error = `Maximum number of API keys reached (${max}). Delete an existing key first.`;
      assert.deepEqual([status, body], [400, { error, code: "too_many_api_keys" }]);
    }
    const list = await account.request("GET", "/api/api-keys");
    assert.equal(list.body.total, max);
    await account.request("DELETE", `/api/api-keys/${list.body.keys[0].id}`);
    await createKey(account);
  });
}

/** More than twenty requests a minute allow, so the first keys are written without the service. */
async function writeKeys(service: TestService, account: TestAccount, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: createId("apiKey"),
    account_id: account.id,
    name: `Key ${index}`,
    prefix: "sp_0000000",
    hash: `${account.id} ${index}`,
    permissions: JSON.stringify(all),
    created_at: index,
    last_used_at: null,
    made_by: account.id,
  }));
  await service.database.insertInto("api_key").values(rows).execute();
}

test("an account on the pro plan gets 25 keys, also when it asks for more at once", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  await setPlan(service, account, "pro");
  await writeKeys(service, account, 17);
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => account.request("POST", "/api/api-keys", { name: "Key" })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 8);
  const error = "Maximum number of API keys reached (25). Delete an existing key first.";
  assert.equal(answers.filter(({ body }) => body.error === error).length, 8);
  assert.equal((await account.request("GET", "/api/api-keys")).body.total, 25);
});

test("an account on the enterprise plan gets as many keys as it likes", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  await setPlan(service, account, "enterprise");
  await writeKeys(service, account, 300);
  await createKey(account);
  const list = await account.request("GET", "/api/api-keys");
  assert.equal(list.body.total, 301);
  assert.equal(list.body.keys.length, 301);
});

test("one account's keys do not count against another's limit", async (t) => {
  const service = await createTestService(t);
  const [one, other] = [await service.signUp(), await service.signUp()];
  await writeKeys(service, one, 5);
  await createKey(other);
  assert.equal((await other.request("GET", "/api/api-keys")).body.total, 1);
});

test("a revoked key is refused at the next request, and is not there to be revoked again", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { key, id } = await createKey(account);
  assert.equal((await service.request("GET", "/api/forms", { token: key })).status, 200);
  const revoked = await account.request("DELETE", `/api/api-keys/${id}`);
  assert.deepEqual([revoked.status, revoked.body], [200, { success: true, revoked: id }]);
  const refused = await service.request("GET", "/api/forms", { token: key });
  assert.deepEqual(
    [refused.status, refused.body],
    [401, { error: "unauthorized", message: "Invalid or missing authentication", code: "credential_invalid" }],
  );
  const again = await account.request("DELETE", `/api/api-keys/${id}`);
  assert.deepEqual([again.status, again.body], [404, { error: "API key not found", code: "api_key_not_found" }]);
  assert.deepEqual((await account.request("GET", "/api/api-keys")).body, { keys: [], total: 0 });
});

test("an API key that was cut short gets an error that says so, and nothing about whether there is one that begins like it", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { key } = await createKey(account);
  const ask = async (path: string, token: string) => {
    const { status, body } = await service.request("GET", path, { token });
    assert.equal(status, 401);
    return body;
  };
  const cut = await ask("/api/forms", key.slice(0, 10));
  assert.deepEqual([cut.error, cut.message], ["unauthorized", "Invalid or missing authentication"]);
  assert.match(cut.details.authorization, /^This API key is incomplete: it has 10 of 39 characters\./);
  assert.deepEqual(await ask("/api/forms", "sp_0000000"), cut, "one that never was");
  assert.deepEqual(await ask("/api/api-keys", key.slice(0, 10)), {
    error: "Invalid or missing authentication",
    code: "credential_invalid",
  });
  assert.equal((await ask("/api/forms", `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`)).details, undefined);
});

test("of two simultaneous revokes one succeeds", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { id } = await createKey(account);
  const answers = await Promise.all([1, 2, 3].map(() => account.request("DELETE", `/api/api-keys/${id}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
});

test("another account's key can't be revoked: 403, and it lives on", async (t) => {
  const service = await createTestService(t);
  const [owner, other] = [await service.signUp(), await service.signUp()];
  const { key, id } = await createKey(owner);
  const answer = await other.request("DELETE", `/api/api-keys/${id}`);
  assert.deepEqual([answer.status, answer.body], [403, { error: "Access denied", code: "api_key_foreign" }]);
  assert.equal((await service.request("GET", "/api/forms", { token: key })).status, 200);
  assert.deepEqual((await other.request("GET", "/api/api-keys")).body, { keys: [], total: 0 });
  for (const unknown of [createId("apiKey"), "nothing", "%00", encodeURIComponent("' or 1=1 --")]) {
    const missing = await other.request("DELETE", `/api/api-keys/${unknown}`);
    assert.deepEqual(
      [missing.status, missing.body],
      [404, { error: "API key not found", code: "api_key_not_found" }],
      unknown,
    );
  }
});

test("a key acts for its account, and only where it has the permission", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { key } = await createKey(account, { name: "Reader", permissions: ["forms:read"] });
  await account.request("POST", "/api/forms", { name: "Contact" });
  assert.equal((await service.request("GET", "/api/forms", { token: key })).body.total, 1);
  const refused = await service.request("POST", "/api/forms", { token: key, body: { name: "Other" } });
  assert.deepEqual(
    [refused.status, refused.body],
    [
      403,
      {
        error: "forbidden",
        message: "This API key does not have the permission forms:write",
        code: "permission_missing",
      },
    ],
  );
  assert.equal((await account.request("GET", "/api/forms")).body.total, 1);
});

test("a key with a wrong checksum is refused before the database is asked", async (t) => {
  const service = await createTestService(t);
  const value = createApiKeyValue();
  const wrong = `${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`;
  // With the table away, a well-formed key shows that asking would fail: the control of this test.
  await sql`alter table api_key rename to away`.execute(service.database);
  assert.equal((await service.request("GET", "/api/forms", { token: wrong })).status, 401);
  assert.equal((await service.request("GET", "/api/forms", { token: value })).status, 500);
});

test("a name with markup comes back as it was given", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const name = `<script>alert("1")</script> \\ ' ` + "é";
  assert.equal((await createKey(account, { name })).name, name);
  assert.equal((await account.request("GET", "/api/api-keys")).body.keys[0].name, name);
});
