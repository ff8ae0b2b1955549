import assert from "node:assert/strict";
import { test } from "node:test";
import { helpPages } from "../../packages/dashboard/src/ui/help-pages.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

test("every link to help leads to a page and a heading that the same server has", async (t) => {
  const service = await createTestService(t);
  for (const [name, address] of Object.entries(helpPages)) {
    const { pathname, hash } = new URL(address, service.url);
    const response = await fetch(service.url + pathname, { headers: { accept: "text/html" } });
    assert.equal(response.status, 200, name);
    const html = await response.text();
    assert.ok(hash === "" || html.includes(` id="${hash.slice(1)}"`), `${name}: ${address}`);
  }
});
