import assert from "node:assert/strict";
import { test } from "node:test";
import { actions } from "../audit-log/audit-log-schemas.ts";
import { createForm, pair } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";

test("what is wrong with a request is said in words that help", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = `/api/forms/${await createForm(account)}`;
  const cases: readonly (readonly [string, string, unknown, Record<string, string>])[] = [
    ["GET", `${form}/webhook/logs?status=bogus`, undefined, { status: 'Must be "success" or "failed"' }],
    ["GET", "/api/forms?limit=99999999999999999999", undefined, { limit: "Is too large" }],
    ["GET", "/api/forms?limit=9007199254740993", undefined, { limit: "Is too large" }],
    ["GET", "/api/forms?limit=101", undefined, { limit: "Must be at most 100" }],
    ["GET", "/api/forms?limit=ten", undefined, { limit: "Must be an integer" }],
    ["GET", "/api/forms?limit=0x10", undefined, { limit: "Must be an integer" }],
    ["GET", "/api/audit-log?action=bogus", undefined, { action: `Must be one of ${actions.join(", ")}` }],
    ["POST", `${form}/submissions/delete`, { ids: ["sub_1"] }, { "ids.0": "Must be a submission id" }],
    ["POST", `${form}/submissions/delete`, { ids: [5] }, { "ids.0": "Must be a submission id" }],
    ["POST", `${form}/rotate-keys`, { publicKey: { ...pair.publicKey, e: "AQ" } }, { "publicKey.e": 'Must be "AQAB"' }],
  ];
  for (const [method, path, body, details] of cases) {
    const answer = await account.request(method, path, body);
    assert.deepEqual([answer.status, answer.body.details], [400, details], `${method} ${path}`);
  }
});

test("the API keys' sentence about a query speaks of the query", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { status, body } = await account.request("GET", "/api/api-keys?foo=1");
  assert.deepEqual([status, body], [400, { error: "Unknown query parameter: foo", code: "unknown_query_parameter" }]);
});
