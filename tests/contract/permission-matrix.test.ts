import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createId } from "@sealpost/wire";
import { fillPath, pages } from "../../packages/dashboard/src/pages.ts";
import { permissions } from "../../packages/server/src/access/permission.ts";
import { createApiKeyValue } from "../../packages/server/src/authentication/api-key-value.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { createOperationCalls, type Ids, permissionsOf, rightStatus } from "./operation-calls.ts";
import { listDocumentOperations, listRoutes, type Operation } from "./operations.ts";

/**
 * Every operation of the OpenAPI document against every kind of credential. A new endpoint is in here by itself; only if
 * it wants a body, a query or an answer other than 200 does it need a line in `operation-calls.ts`.
 */
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
  "POST /api/forms/reservations": ["forms:write"],
  "PATCH /api/forms/{form_id}": ["forms:write"],
  "DELETE /api/forms/{form_id}": ["forms:write"],
  "POST /api/forms/{form_id}/rotate-keys": ["forms:write"],
  "POST /api/forms/{form_id}/keys/close": ["forms:write"],
  "GET /api/forms/{form_id}/keys/log": "public",
  "POST /api/forms/{form_id}/keys/refused": "public",
  "POST /api/forms/{form_id}/keys/log": ["forms:write"],
  "DELETE /api/forms/{form_id}/keys/log": "session",
  "POST /api/forms/{form_id}/keys/{version}/proved": ["forms:write"],
  "GET /api/member-list": ["submissions:read"],
  "GET /api/member-list/names": ["submissions:read"],
  "POST /api/member-list": "session",
  "POST /api/member-list/lost": "session",
  "GET /api/forms/{form_id}/envelopes": ["submissions:read"],
  "GET /api/forms/{form_id}/envelopes/{lowest_version}": ["submissions:read"],
  "GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions": ["submissions:read"],
  "PUT /api/forms/{form_id}/envelopes/{lowest_version}": ["forms:write"],
  "DELETE /api/forms/{form_id}/envelopes": "session",
  "POST /api/forms/{form_id}/envelopes/restore": "session",
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
  "GET /api/audit-log/export": "session",
  "POST /api/audit-log/shorten": "session",
  "GET /api/organizations": "session",
  "POST /api/organizations": "session",
  "POST /api/organizations/{organization_id}/switch": "session",
  "PATCH /api/organization": "session",
  "PUT /api/organization/second-factor": "session",
  "PUT /api/organization/recovery": "session",
  "POST /api/usage/take-over": "session",
  "POST /api/organization/deletion": "session",
  "DELETE /api/organization/deletion": "session",
  "GET /api/account": "session",
  "PATCH /api/account": "session",
  "POST /api/account/address": "session",
  "DELETE /api/account/address": "session",
  "GET /api/account/deletion": "session",
  "POST /api/account/deletion": "session",
  "DELETE /api/account/deletion": "session",
  "GET /api/account/export": "session",
  "GET /api/admissions": "session",
  "POST /api/admissions": "session",
  "GET /api/admissions/{admission_id}": "session",
  "DELETE /api/admissions/{admission_id}": "session",
  "POST /api/admissions/{admission_id}/refusal": "session",
  "GET /api/account/admissions": "session",
  "GET /api/account/admissions/{admission_id}": "session",
  "POST /api/account/admissions/{admission_id}/answer": "session",
  "GET /api/account/signed-heads": "session",
  "PUT /api/account/signed-heads/{organization_id}": "session",
  "GET /api/account/personal-key": "session",
  "POST /api/account/personal-key": "session",
  "GET /api/account/device-requests": "session",
  "POST /api/account/device-requests": "session",
  "PUT /api/account/device-requests/{request_id}/challenge": "session",
  "PUT /api/account/device-requests/{request_id}/reveal": "session",
  "PUT /api/account/device-requests/{request_id}/answer": "session",
  "DELETE /api/account/device-requests/{request_id}": "session",
  "PUT /api/account/personal-key": "session",
  "POST /api/account/personal-key/restore": "session",
  "GET /api/account/key-copies/{copy_id}": "session",
  "POST /api/account/key-copies": "session",
  "DELETE /api/account/key-copies/{copy_id}": "session",
  "POST /api/account/key-copies/{copy_id}/restore": "session",
  "POST /api/forms/{form_id}/hand-over": "session",
  "PUT /api/forms/{form_id}/hold": "session",
  "DELETE /api/forms/{form_id}/hold": "session",
  "GET /api/members": "session",
  "PATCH /api/members/{member_id}": "session",
  "DELETE /api/members/{member_id}": "session",
  "POST /api/members/leave": "session",
  "GET /api/invitations": "session",
  "POST /api/invitations": "session",
  "DELETE /api/invitations/{invitation_id}": "session",
  "POST /api/invitations/accept": "session",
  "GET /api/sessions": "session",
  "DELETE /api/sessions/{session_id}": "session",
  "POST /api/sessions/end-others": "session",
  "GET /api/instance": "operator",
  "GET /api/instance/log": "operator",
  "GET /api/instance/organizations": "operator",
  "PATCH /api/instance/organizations/{organization_id}": "operator",
  "GET /api/instance/accounts": "operator",
  "PATCH /api/instance/accounts/{account_id}": "operator",
  "DELETE /api/instance/accounts/{account_id}/sessions": "operator",
  "DELETE /api/instance/accounts/{account_id}/api-keys": "operator",
  "GET /api/instance/invitations": "operator",
  "POST /api/instance/invitations": "operator",
  "DELETE /api/instance/invitations/{invitation_id}": "operator",
  "GET /api/instance/emails": "operator",
  "POST /api/instance/emails/{mail_id}/retry": "operator",
  "POST /api/invitations/find": "public",
  "GET /api/forms/{form_id}/public": "public",
  "POST /api/forms/{form_id}/submissions": "public",
};

const service = await createTestService(
  { after },
  { environment: { SEALPOST_DEFAULT_PLAN: "enterprise", SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" } },
);
const operations = listDocumentOperations(service.app.swagger());
const { createKey, createIds, call } = createOperationCalls(service);
const [owner, other] = [await service.signUp(), await service.signUp()];

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

const known = new Map<string, Promise<Ids>>();

/** Ids for requests that are refused, and use nothing up: those of a path serve each of its operations. */
function createKeptIds(operation: Operation): Promise<Ids> {
  const ids = known.get(operation.path) ?? createIds(owner, operation);
  known.set(operation.path, ids);
  return ids;
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
    /^(GET|POST|PATCH|DELETE) \/api\/auth\//,
    /^GET \/api\/docs(\/[\w.-]+)?$/,
    /^GET \/docs\*?$/,
    /^GET \/api\/openapi\.json$/,
    /^GET \/health\/(live|ready)$/,
    /^GET \/favicon\.ico$/,
    /^GET \/embed\/(sealpost\.(js|css)|sealpost-key-log\.js|\{file\})$/,
    /^(GET|POST) \/f\/\{form_id\}$/,
    /^GET \/f\/\{form_id\}\/(thanks|not-sent)$/,
    /^(GET|POST) \/unsubscribe\/\{token\}$/,
    /^GET \/\*$/,
    /^GET \/assets\/\{file\}$/,
    /^GET \/sealpost-opener\.html$/,
  ];
  const ofPages: readonly string[] = Object.values(pages).map(({ path }) => `GET ${fillPath(path, "{formId}")}`);
  const routes = listRoutes(service.app).filter(
    (route) => !ofPages.includes(route) && !undocumented.some((rule) => rule.test(route)),
  );
  assert.deepEqual([...routes].sort(), operations.map(({ name }) => name).sort());
});

test("each operation's access is the decided one, and none is missing", () => {
  const documented = Object.fromEntries(operations.map(({ name, access }) => [name, access]));
  assert.deepEqual(documented, { ...wanted });
});

test("without a valid credential everything that is not public answers 401, whatever else is wrong", async (t) => {
  for (const operation of select(({ access }) => access !== "public")) {
    await t.test(operation.name, async () => {
      const ids = await createKeptIds(operation);
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
      const ids = await createKeptIds(operation);
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
  for (const operation of select(({ access }) => access === "session" || access === "operator")) {
    await t.test(operation.name, async () => {
      const others = {
        ...{ member_id: "acc_1", invitation_id: "inv_1", organization_id: "acc_1", session_id: "made-up" },
        ...{ account_id: "acc_1", mail_id: "1", copy_id: "none", request_id: "none", admission_id: "none" },
      };
      const ids: Ids = {
        form_id: "",
        submission_id: "",
        key_id: createId("apiKey"),
        delivery_id: "",
        version: "",
        lowest_version: "",
        ...others,
      };
      const answer = await call(operation, ids, `Bearer ${ownerKey}`);
      assert.deepEqual([answer.status, JSON.parse(answer.text)], [401, unauthorizedOf(operation)]);
    });
  }
});

test("another account's form answers byte for byte like one that does not exist", async (t) => {
  for (const operation of select(({ path, access }) => path.includes("{form_id}") && access !== "public")) {
    await t.test(operation.name, async () => {
      const ids = await createKeptIds(operation);
      for (const token of operation.access === "session" ? [other.token] : [other.token, otherKey]) {
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
    ({ method, path, access }) =>
      method === "GET" && !path.includes("{") && access !== "public" && access !== "operator",
  )) {
    const list = await call(operation, ids, `Bearer ${other.token}`);
    assert.equal(list.status, rightStatus(operation));
    assert.ok(!list.text.includes(ids.form_id) && !list.text.includes(ids.key_id), operation.name);
  }
});

test("the right credential is enough: a session, or a key with the needed permissions alone", async (t) => {
  // Operators' operations are in packages/server/src/operators/instance.test.ts.
  for (const operation of select(({ access }) => access !== "public" && access !== "operator")) {
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
