import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";

interface Operation {
  readonly security?: readonly object[];
}

test("HEAD does nothing at any address that asks for a credential, and what is open to everybody answers it as GET", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const payload = { encrypted: false, version: "plain1", fields: { message: "hello" } };
  const stored = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } });
  assert.equal(stored.status, 201);
  const { paths = {} } = service.app.swagger();
  const reads = Object.entries(paths).flatMap(([path, operations]) => {
    const { get } = operations as { readonly get?: Operation }; // the service's own document
    return get === undefined
      ? []
      : [{ path: path.replace("{form_id}", formId).replaceAll(/\{\w+\}/g, "1"), isOpen: !get.security?.length }];
  });
  const closed = reads.filter(({ isOpen }) => !isOpen);
  assert.ok(closed.length > 30 && closed.length < reads.length, `${closed.length} of ${reads.length}`);
  const log = async () => (await account.request("GET", "/api/audit-log?limit=100")).body.entries;
  const before = await log();
  for (const { path, isOpen } of reads) {
    // The document has no HEAD.
    const head = await fetch(`${service.url}${path}`, {
      ...{ method: "HEAD", redirect: "manual", headers: { authorization: `Bearer ${account.token}` } },
    });
    if (isOpen) assert.equal(head.status, (await service.request("GET", path)).status, path);
    else assert.deepEqual([head.status, head.headers.get("allow")?.includes("HEAD")], [405, false], path);
  }
  assert.deepEqual(await log(), before);
  for (const path of ["/", "/api/docs", "/embed/sealpost.js", "/sealpost-opener.html", "/health/live"])
    assert.equal((await fetch(`${service.url}${path}`, { method: "HEAD" })).status, 200, path);
});
