import assert from "node:assert/strict";
import { test } from "node:test";
import { onEither } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

test(
  "a wrong method at an address of the API keys is answered with a sentence, like every error there",
  onEither,
  async (t) => {
    const service = await createTestService(t);
    for (const path of ["/api/api-keys", "/api/api-keys/key_1", "/api/api-keys?a=b"]) {
      const { status, body } = await service.request("PUT", path);
      assert.equal(status, 405, path);
      assert.deepEqual([Object.keys(body), body.code], [["error", "code"], "method_not_allowed"], path);
      assert.match(body.error, /^This address knows /, path);
    }
    const unknown = await service.request("GET", "/api/api-keys/a/b");
    assert.deepEqual(
      [unknown.status, unknown.body],
      [404, { error: "There is nothing at this address", code: "address_not_found" }],
    );
    const other = await service.request("GET", "/api/api-keys-of-others");
    assert.deepEqual(other.body, {
      error: "not_found",
      message: "There is nothing at this address",
      code: "address_not_found",
    });
  },
);

test(
  "pages of any origin may read that a public address does not know their method, and no other address's answer",
  onEither,
  async (t) => {
    const service = await createTestService(t);
    const origin = async (method: string, path: string) => {
      const { status, headers } = await service.request(method, path);
      assert.equal(status, 405, path);
      return headers.get("access-control-allow-origin");
    };
    for (const path of ["/api/forms/form_1/submissions", "/api/forms/form_1/public", "/f/form_1", "/embed/sealpost.js"])
      assert.equal(await origin("PATCH", path), "*", path);
    for (const path of ["/api/forms", "/api/forms/form_1", "/api/forms/form_1/submissions/sub_1", "/api/api-keys"])
      assert.equal(await origin("PUT", path), null, path);
  },
);

test("a wrong method at a form's address shows people a page, and programs JSON", onEither, async (t) => {
  const service = await createTestService(t);
  for (const method of ["PUT", "DELETE"]) {
    const page = await service.request(method, "/f/form_1", { headers: { accept: "text/html" } });
    assert.equal(page.status, 405);
    assert.match(page.body, /<h1>Forms are posted to this address/);
    assert.match(page.headers.get("allow") ?? "", /POST/);
    const answer = await service.request(method, "/f/form_1", { headers: { accept: "application/json" } });
    assert.deepEqual([answer.status, answer.body.error], [405, "method_not_allowed"]);
  }
});
