import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { type Permission, permissions } from "../../packages/server/src/access/permission.ts";
import { createApiKeyStore } from "../../packages/server/src/api-keys/api-key-store.ts";
import {
  createApiKeyValue,
  hashApiKeyValue,
  prefixOf,
} from "../../packages/server/src/authentication/api-key-value.ts";
import { createTestService, type TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { listDocumentOperations, listRoutes, type Operation } from "./operations.ts";

/**
 * Every operation of the OpenAPI document against every kind of credential. A new endpoint is in here by itself; only if
 * it wants a body, a query or an answer other than 200 does it need a line in `examples`.
 */
const { publicKey } = takeKeyPair();

/** Another one for each rotation, with no private key to it: an odd number of 2,048 bits. */
function createPublicKey() {
  const modulus = randomBytes(256);
  modulus[0] = 0x80 | (modulus[0] ?? 0);
  modulus[255] = 1 | (modulus[255] ?? 0);
  return { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" } as const;
}
const plainPayload = { encrypted: false, version: "plain1", fields: { message: "hello" } };

interface Example {
  readonly query?: string;
  readonly body?: (ids: Ids) => unknown;
  /** 200 when omitted. */
  readonly status?: number;
}

/** The parts of a valid request, by operation id. */
const examples: Readonly<Record<string, Example>> = {
  createForm: { body: () => ({ name: createId("form"), publicKey }) },
  updateForm: { body: () => ({ name: createId("form") }) },
  deleteForm: { query: "?confirm=DELETE_FORM" },
  rotateFormKeys: { body: () => ({ publicKey: createPublicKey() }) },
  setAccountNotifications: { body: () => ({ mail: false }) },
  setNotifications: { body: () => ({ mail: false }) },
  setRetention: { body: () => ({ days: 30 }) },
  createApiKey: { body: () => ({ name: "Key" }) },
  postSubmission: { body: () => ({ payload: plainPayload }), status: 201 },
  deleteSubmissions: { query: "?confirm=DELETE_SUBMISSIONS" },
  binSubmissions: { body: ({ submission_id }) => ({ ids: [submission_id] }) },
  restoreSubmissions: { body: () => ({ all: true }) },
  emptyBin: { query: "?confirm=EMPTY_BIN" },
  deleteListedSubmissions: { body: ({ submission_id }) => ({ ids: [submission_id] }) },
  resendDelivery: { status: 202 },
};

/** Contract, section 3.2, written down a second time: the document must not drift from it. */
const wanted: Readonly<Record<string, Operation["access"]>> = {
  "GET /api/forms": ["forms:read"],
  "GET /api/forms/{form_id}": ["forms:read"],
  "GET /api/forms/{form_id}/keys": ["forms:read"],
  "GET /api/forms/{form_id}/stats": ["forms:read"],
  "GET /api/usage": ["forms:read"],
  "GET /api/forms/{form_id}/retention": ["forms:read"],
  "GET /api/forms/{form_id}/notifications": ["forms:read"],
  "GET /api/forms/{form_id}/webhook/logs": ["forms:read"],
  "GET /api/forms/{form_id}/webhook/logs/{delivery_id}": ["forms:read"],
  "POST /api/forms": ["forms:write"],
  "PATCH /api/forms/{form_id}": ["forms:write"],
  "DELETE /api/forms/{form_id}": ["forms:write"],
  "POST /api/forms/{form_id}/rotate-keys": ["forms:write"],
  "POST /api/forms/{form_id}/keys/{version}/proved": ["forms:write"],
  "PUT /api/forms/{form_id}/retention": ["forms:write", "submissions:delete"],
  "PUT /api/forms/{form_id}/notifications": ["forms:write"],
  "GET /api/forms/{form_id}/webhook-secret": ["forms:write"],
  "POST /api/forms/{form_id}/webhook-secret/rotate": ["forms:write"],
  "POST /api/forms/{form_id}/webhook/test": ["forms:write"],
  "POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend": ["forms:write", "submissions:read"],
  "GET /api/forms/{form_id}/submissions": ["submissions:read"],
  "GET /api/forms/{form_id}/submissions/{submission_id}": ["submissions:read"],
  "GET /api/forms/{form_id}/submissions/export": ["submissions:read"],
  "GET /api/forms/{form_id}/submissions/bin": ["submissions:read"],
  "POST /api/forms/{form_id}/submissions/bin": ["submissions:delete"],
  "POST /api/forms/{form_id}/submissions/bin/restore": ["submissions:delete"],
  "DELETE /api/forms/{form_id}/submissions/bin": ["submissions:delete"],
  "DELETE /api/forms/{form_id}/submissions": ["submissions:delete"],
  "DELETE /api/forms/{form_id}/submissions/{submission_id}": ["submissions:delete"],
  "POST /api/forms/{form_id}/submissions/delete": ["submissions:delete"],
  "GET /api/notifications": "session",
  "PUT /api/notifications": "session",
  "GET /api/api-keys": "session",
  "POST /api/api-keys": "session",
  "DELETE /api/api-keys/{key_id}": "session",
  "GET /api/audit-log": "session",
  "GET /api/forms/{form_id}/public": "public",
  "POST /api/forms/{form_id}/submissions": "public",
};

interface Ids {
  readonly form_id: string;
  readonly submission_id: string;
  readonly key_id: string;
  readonly delivery_id: string;
  readonly version: string;
}

interface Answer {
  readonly status: number;
  /** Without the request id, the date and what counts requests. */
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

const service = await createTestService(
  { after },
  { environment: { SEALPOST_DEFAULT_PLAN: "enterprise", SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.1/32" } },
);
const operations = listDocumentOperations(service.app.swagger());
const [owner, other] = [await service.signUp(), await service.signUp()];

/** Without the API: its 20 requests a minute are for the operations themselves. */
async function createKey(account: TestAccount, granted: readonly Permission[]) {
  const apiKeys = createApiKeyStore(service.database);
  const value = createApiKeyValue();
  const key = {
    id: createId("apiKey"),
    accountId: account.id as AccountId, // as the service answered it
    name: "Key",
    prefix: prefixOf(value),
    permissions: granted,
    createdAt: 0,
    lastUsedAt: undefined,
  };
  await service.database
    .transaction()
    .execute((transaction) => apiKeys.create(transaction, key, hashApiKeyValue(value)));
  return { id: key.id, value };
}

const ownerKey = (await createKey(owner, permissions)).value;
const otherKey = (await createKey(other, permissions)).value;
const revoked = await createKey(owner, permissions);
await owner.request("DELETE", `/api/api-keys/${revoked.id}`);
const unknown = createApiKeyValue();

/** The Authorization headers that open nothing. */
const refused: Readonly<Record<string, string | undefined>> = {
  "no credential": undefined,
  "an empty bearer": "Bearer",
  garbage: "Bearer garbage",
  "another scheme": `Basic ${Buffer.from("one@example.com:correct horse battery").toString("base64")}`,
  "an unsigned token": `Bearer ${Buffer.from('{"alg":"none"}').toString("base64url")}.e30.`,
  "a key with a wrong checksum": `Bearer ${unknown.slice(0, -1)}${unknown.endsWith("0") ? "1" : "0"}`,
  "a key that never was": `Bearer ${unknown}`,
  "a revoked key": `Bearer ${revoked.value}`,
};

/** A form with a submission, a delivery and an API key, made for one operation. */
async function createIds(account: TestAccount, { path }: Operation): Promise<Ids> {
  const settings = { encryption: false, webhookUrl: "https://127.0.0.1:9/hook" };
  const created = await account.request("POST", "/api/forms", { name: createId("form"), publicKey, settings });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const form_id: string = created.body.form.id;
  const submission_id = createId("submission");
  const body = { id: submission_id, payload: plainPayload };
  assert.equal((await service.request("POST", `/api/forms/${form_id}/submissions`, { body })).status, 201);
  let key_id: string = createId("apiKey");
  let delivery_id: string = createId("delivery");
  if (path.includes("{key_id}")) key_id = (await createKey(account, permissions)).id;
  if (path.includes("{delivery_id}"))
    delivery_id = (await account.request("POST", `/api/forms/${form_id}/webhook/test`)).body.delivery.id;
  return { form_id, submission_id, key_id, delivery_id, version: "1" };
}

async function call(operation: Operation, ids: Ids, authorization: string | undefined): Promise<Answer> {
  const example = examples[operation.operationId] ?? {};
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    assert.ok(name in ids, `nothing to put for {${name}}: add it to Ids`);
    return ids[name as keyof Ids]; // just checked
  });
  const body = example.body?.(ids);
  const response = await fetch(`${service.url}${path}${example.query ?? ""}`, {
    method: operation.method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const passing = ["x-request-id", "date", "ratelimit", "ratelimit-policy"];
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !passing.includes(name)),
    text: await response.text(),
  };
}

function rightStatus({ operationId }: Operation): number {
  return examples[operationId]?.status ?? 200;
}

function permissionsOf({ access }: Operation): readonly Permission[] {
  return typeof access === "string" ? [] : access;
}

/** The API key endpoints have errors of their own shape. */
function unauthorizedOf({ path }: Operation): object {
  const sentence = "Invalid or missing authentication";
  const code = "credential_invalid";
  return path.startsWith("/api/api-keys")
    ? { error: sentence, code }
    : { error: "unauthorized", message: sentence, code };
}

function select(wish: (operation: Operation) => boolean): readonly Operation[] {
  const selected = operations.filter(wish);
  assert.ok(selected.length > 0);
  return selected;
}

test("the running service and its document know the same operations", () => {
  /** Routes for browsers, probes and the sign-in, which the document leaves out on purpose. */
  const undocumented = [
    /^(GET|POST) \/api\/auth\//,
    /^GET \/api\/docs(\/[\w.-]+)?$/,
    /^GET \/docs\*?$/,
    /^GET \/api\/openapi\.json$/,
    /^GET \/health\/(live|ready)$/,
    /^GET \/favicon\.ico$/,
    /^GET \/embed\/(sealpost\.(js|css)|\{file\})$/,
    /^(GET|POST) \/f\/\{form_id\}$/,
    /^GET \/f\/\{form_id\}\/thanks$/,
    /^(GET|POST) \/unsubscribe\/\{token\}$/,
    /^GET \/\*$/,
    /^GET \/assets\/\{file\}$/,
    /^GET \/sealpost-opener\.html$/,
    // The router pictures /forms/* as a star alone.
    /^GET \/(|setup|sign-in|sign-up|reset-password|verify-email|\*|api-keys|account|audit-log)$/,
  ];
  const routes = listRoutes(service.app).filter((route) => !undocumented.some((rule) => rule.test(route)));
  assert.deepEqual([...routes].sort(), operations.map(({ name }) => name).sort());
});

test("each operation's access is the decided one, and none is missing", () => {
  const documented = Object.fromEntries(operations.map(({ name, access }) => [name, access]));
  assert.deepEqual(documented, { ...wanted });
});

test("without a valid credential everything that is not public answers 401, whatever else is wrong", async (t) => {
  for (const operation of select(({ access }) => access !== "public")) {
    await t.test(operation.name, async () => {
      const ids = await createIds(owner, operation);
      const expected = unauthorizedOf(operation);
      for (const [credential, authorization] of Object.entries(refused)) {
        const answer = await call(operation, ids, authorization);
        assert.deepEqual([answer.status, JSON.parse(answer.text)], [401, expected], credential);
      }
    });
  }
});

test("an API key without one of the needed permissions answers 403 and names it", async (t) => {
  for (const operation of select(({ access }) => Array.isArray(access))) {
    await t.test(operation.name, async () => {
      const ids = await createIds(owner, operation);
      for (const permission of permissionsOf(operation)) {
        const key = await createKey(
          owner,
          permissions.filter((one) => one !== permission),
        );
        const answer = await call(operation, ids, `Bearer ${key.value}`);
        const message = `This API key does not have the permission ${permission}`;
        assert.deepEqual(
          [answer.status, JSON.parse(answer.text)],
          [403, { error: "forbidden", message, code: "permission_missing" }],
        );
      }
      const unrelated = permissions.filter((one) => !permissionsOf(operation).includes(one));
      const answer = await call(operation, ids, `Bearer ${(await createKey(owner, unrelated)).value}`);
      for (const permission of permissionsOf(operation))
        assert.match(JSON.parse(answer.text).message, new RegExp(`${permission}\\b`));
      // Nothing happened: the form is there, and so is its submission.
      const list = await owner.request("GET", `/api/forms/${ids.form_id}/submissions`);
      assert.equal(list.body.total, 1);
    });
  }
});

test("an API key, even with every permission, is no credential where only a session is one", async (t) => {
  for (const operation of select(({ access }) => access === "session")) {
    await t.test(operation.name, async () => {
      const ids = { form_id: "", submission_id: "", key_id: createId("apiKey"), delivery_id: "", version: "" };
      const answer = await call(operation, ids, `Bearer ${ownerKey}`);
      assert.deepEqual([answer.status, JSON.parse(answer.text)], [401, unauthorizedOf(operation)]);
    });
  }
});

test("another account's form answers byte for byte like one that does not exist", async (t) => {
  for (const operation of select(({ path, access }) => path.includes("{form_id}") && access !== "public")) {
    await t.test(operation.name, async () => {
      const ids = await createIds(owner, operation);
      for (const token of [other.token, otherKey]) {
        const theirs = await call(operation, ids, `Bearer ${token}`);
        const missing = await call(operation, { ...ids, form_id: createId("form") }, `Bearer ${token}`);
        assert.deepEqual(theirs, missing);
        assert.deepEqual(
          [theirs.status, JSON.parse(theirs.text)],
          [404, { error: "not_found", message: "Form not found", code: "form_not_found" }],
        );
      }
      const list = await owner.request("GET", `/api/forms/${ids.form_id}/submissions`);
      assert.equal(list.body.total, 1);
    });
  }
});

for (const [parameter, kind] of [
  ["submission_id", "submission"],
  ["delivery_id", "delivery"],
] as const) {
  for (const operation of operations.filter(({ path }) => path.includes(`{${parameter}}`))) {
    test(`${operation.name}: another account's under one's own form answers like one that does not exist`, async () => {
      const [theirs, own] = [await createIds(owner, operation), await createIds(other, operation)];
      const credential = `Bearer ${other.token}`;
      const mixed = await call(operation, { ...own, [parameter]: theirs[parameter] }, credential);
      const missing = await call(operation, { ...own, [parameter]: createId(kind) }, credential);
      assert.equal(mixed.status, 404);
      assert.deepEqual(mixed, missing);
    });
  }
}

test("another account's API key answers 403, and lists show nothing of another account", async () => {
  const revoke = select(({ operationId }) => operationId === "revokeApiKey")[0];
  assert.ok(revoke !== undefined);
  const ids = await createIds(owner, revoke);
  const answer = await call(revoke, ids, `Bearer ${other.token}`);
  assert.deepEqual(
    [answer.status, JSON.parse(answer.text)],
    [403, { error: "Access denied", code: "api_key_foreign" }],
  );
  for (const operation of select(
    ({ method, path, access }) => method === "GET" && !path.includes("{") && access !== "public",
  )) {
    const list = await call(operation, ids, `Bearer ${other.token}`);
    assert.equal(list.status, 200);
    assert.ok(!list.text.includes(ids.form_id) && !list.text.includes(ids.key_id), operation.name);
  }
});

test("the right credential is enough: a session, or a key with the needed permissions alone", async (t) => {
  for (const operation of select(({ access }) => access !== "public")) {
    await t.test(operation.name, async () => {
      const tokens = [owner.token];
      if (operation.access !== "session") tokens.push((await createKey(owner, permissionsOf(operation))).value);
      for (const token of tokens) {
        const answer = await call(operation, await createIds(owner, operation), `Bearer ${token}`);
        assert.equal(answer.status, rightStatus(operation), answer.text);
      }
    });
  }
});

test("public operations ask for nothing, and a bad credential spoils nothing", async (t) => {
  for (const operation of select(({ access }) => access === "public")) {
    await t.test(operation.name, async () => {
      const ids = await createIds(owner, operation);
      const credentials = { ...refused, "another account's session": `Bearer ${other.token}` };
      for (const [credential, authorization] of Object.entries(credentials)) {
        assert.equal((await call(operation, ids, authorization)).status, rightStatus(operation), credential);
      }
    });
  }
});
