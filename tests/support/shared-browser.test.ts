import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "./chromium.ts";
import { shareBrowser } from "./shared-browser.ts";

test("who shares a browser has cookies and pages apart, and closes nobody else's", async (t) => {
  const [one, other] = await Promise.all([shareBrowser(), shareBrowser()]);
  t.after(() => other.close());
  const [page, kept] = await Promise.all([one.newPage(), other.newPage()]);
  assert.equal(page.context().browser(), kept.context().browser(), "it is one browser");
  await page.context().addCookies([{ name: "mine", value: "1", url: "http://localhost/" }]);
  assert.deepEqual(await kept.context().cookies(), []);
  await one.close();
  assert.ok(page.isClosed());
  assert.equal(await kept.evaluate(() => 1 + 1), 2);
});

test("a browser that failed to start, or has ended, is replaced for the next user", async (t) => {
  const ended = await shareBrowser();
  await (await ended.newPage()).context().browser()?.close();
  let failures = 0;
  const fail = (): Promise<Browser> => Promise.reject(new Error(`failure ${++failures}`));
  await assert.rejects(shareBrowser(fail), { message: "failure 1" });
  await assert.rejects(shareBrowser(fail), { message: "failure 2" });
  const next = await shareBrowser(launchBrowser);
  t.after(() => next.close());
  assert.equal(await (await next.newPage()).evaluate(() => 1 + 1), 2);
  await ended.close();
});
