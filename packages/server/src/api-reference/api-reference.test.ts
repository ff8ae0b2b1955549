import assert from "node:assert/strict";
import { test } from "node:test";
import { launchBrowser } from "../../../../tests/support/chromium.ts";
import { onEither } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

test("the API reference shows every operation, asks nobody else and breaks no policy", onEither, async (t) => {
  const service = await createTestService(t);
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  const foreign: string[] = [];
  const violations: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith("data:")) foreign.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error") violations.push(message.text());
  });
  await page.goto(`${service.url}/api/docs`);
  await page.getByRole("heading", { name: "Sealpost API" }).waitFor();
  await page.locator(".opblock").first().waitFor();
  const { paths } = service.app.swagger();
  const operations = Object.values(paths ?? {}).flatMap((path) => Object.keys(path ?? {}));
  assert.equal(await page.locator(".opblock").count(), operations.length);
  await page.locator(".opblock-summary-control").first().click();
  await page.locator(".opblock-body").first().waitFor();
  if (process.env.SEALPOST_TEST_SCREENSHOT) await page.screenshot({ path: process.env.SEALPOST_TEST_SCREENSHOT });
  assert.deepEqual(foreign, []);
  assert.deepEqual(violations, []);
});
