import assert from "node:assert/strict";
import { test } from "node:test";
import { shareBrowser } from "../../../../tests/support/shared-browser.ts";
import { onEither } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

test(
  "the API reference shows every operation and event in an origin of its own in which nothing runs, and fits a phone",
  onEither,
  async (t) => {
    const service = await createTestService(t);
    const account = await service.signUp();
    const browser = await shareBrowser();
    t.after(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const [name = "", value = ""] = account.cookie.split("=");
    await context.addCookies([{ name, value, url: service.url }]);
    const page = await context.newPage();
    const asked: string[] = [];
    const violations: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => {
      if (message.type() === "error") violations.push(message.text());
    });
    const answer = await page.goto(`${service.url}/api/docs`);
    assert.match(
      answer?.headers()["content-security-policy"] ?? "",
      /; sandbox(?!.*(allow-scripts|allow-same-origin))/,
    );
    const { paths, webhooks } = service.app.swagger() as { paths: object; webhooks: object };
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const { operationId } of [...operations, ...Object.values(webhooks).map(({ post }) => post)])
      assert.equal(await page.locator(`#${operationId}`).count(), 1, operationId);
    const broken = await page
      .locator('main a[href^="#"], .contents a')
      .evaluateAll((links) =>
        links
          .map((link) => link.getAttribute("href") ?? "")
          .filter((href) => document.getElementById(href.slice(1)) === null),
      );
    assert.deepEqual(broken, []);
    const { origin, width, styled } = await page.evaluate(() => ({
      origin: self.origin,
      width: document.documentElement.scrollWidth,
      styled: getComputedStyle(document.body).margin,
    }));
    assert.deepEqual([origin, width, styled], ["null", 390, "0px"]);
    if (process.env.SEALPOST_TEST_SCREENSHOT) await page.screenshot({ path: process.env.SEALPOST_TEST_SCREENSHOT });
    // The control: the same page of the documentation has the instance's origin, and its session with it.
    await page.goto(`${service.url}/docs`);
    assert.equal(await page.evaluate(() => self.origin), service.url);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(service.url)),
      [],
    );
    assert.deepEqual(violations, []);
  },
);
