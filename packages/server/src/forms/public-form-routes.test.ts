import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "../testing/test-service.ts";
import { createForm } from "./testing/test-form.ts";

test("caches keep the public form for each origin apart, for one may be refused where another is not", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { allowedOrigins: ["https://good.example"] });
  const ask = (headers: Record<string, string>) =>
    service.request("GET", `/api/forms/${formId}/public`, { headers: { origin: "https://good.example", ...headers } });
  const { status, headers } = await ask({});
  assert.deepEqual([status, headers.get("vary")], [200, "Origin"]);
  assert.equal(headers.get("cache-control"), "private, max-age=60");
  const unchanged = await ask({ "if-none-match": headers.get("etag") ?? "" });
  assert.deepEqual([unchanged.status, unchanged.headers.get("vary")], [304, "Origin"]);
  const refused = await ask({ origin: "https://other.example" });
  assert.deepEqual([refused.status, refused.headers.get("cache-control")], [403, "no-store"]);
});

test("a client that has the public form already learns that it is unchanged, however the tag is written", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const path = `/api/forms/${await createForm(account)}/public`;
  const etag = (await service.request("GET", path)).headers.get("etag") ?? "";
  assert.match(etag, /^"[^"]+"$/);
  const ask = (tag: string) => service.request("GET", path, { headers: { "if-none-match": tag } });
  for (const tag of [etag, `W/${etag}`, "*", `"other", ${etag}`, `W/"other",W/${etag}`]) {
    const { status, body, headers } = await ask(tag);
    assert.deepEqual([status, body, headers.get("etag")], [304, "", etag], tag);
  }
  for (const tag of ['"other"', 'W/"other", "another"', etag.slice(1, -1)])
    assert.equal((await ask(tag)).status, 200, tag);
  const { paths } = (await service.request("GET", "/api/openapi.json")).body;
  assert.ok("304" in paths["/api/forms/{form_id}/public"].get.responses);
});
