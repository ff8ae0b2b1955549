import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { fingerprint } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { startSite, untilState } from "../../packages/embed/testing/browser.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createAccount, type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

const tabs = ["", "/embed", "/statistics", "/webhook", "/keys", "/settings", "/bin"];

describe("a form with several key versions", () => {
  let dashboard: Dashboard;

  before(async () => {
    dashboard = await startDashboard();
  });
  after(async () => {
    await dashboard.close();
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  /** The text of each page of the form, once it has stopped changing. */
  async function readPages(page: Page, formId: string): Promise<Readonly<Record<string, string>>> {
    const read: Record<string, string> = {};
    for (const tab of tabs) {
      await page.goto(`/forms/${formId}${tab}`);
      await page.waitForLoadState("networkidle");
      // The picker of keys is a script of its own, which a busy machine runs late.
      if (tab === "") await page.getByText("Choose key file").or(page.locator("[data-empty]")).first().waitFor();
      const main = await page.locator("main").innerText();
      // Times that pass while the test runs.
      read[tab] = main.replaceAll(/\b\d+ (second|minute)s? ago\b|\bjust now\b/gi, "");
    }
    return read;
  }

  test("each of its pages says the same in whatever order the service lists the keys, and the snippet is for the newest", async () => {
    const client = await createAccount(dashboard.service);
    const pairs = [1, 2, 3].map(() => takeKeyPair());
    const [first, ...later] = pairs.map(({ publicKey }) => publicKey);
    const form = await client.forms.create({ name: "Contact", publicKey: first ?? assert.fail() });
    const page = await dashboard.signIn();
    for (const publicKey of later) {
      await client.forms.rotateKeys(form.id, { publicKey });
      const asGiven = await readPages(page, form.id);
      await intercept(page, /\/api\/forms\/[^/]+\/keys(\?|$)/, async (route) => {
        // Playwright asks without this header, by which the service knows our own page.
        const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
        const response = await route.fetch({ headers });
        const { keys } = await response.json();
        await route.fulfill({ response, json: { keys: keys.toReversed() } });
      });
      assert.deepEqual(await readPages(page, form.id), asGiven);
      await page.goto(`/forms/${form.id}/embed`);
      const code = page.locator("pre", { hasText: "Sealpost.init" });
      await code.filter({ hasText: await fingerprint(publicKey) }).waitFor();
      const snippet = (await code.textContent()) ?? "";
      // A browser of its own for each: one that had asked for the former key may keep the answer for a minute.
      const site = await startSite(dashboard.browser);
      const visitor = await site.open(`<form><input name="vote"><button>Send</button></form>${snippet}`);
      await visitor.fill("input", "yes");
      await visitor.click("button");
      await untilState(visitor, "sent");
      await site.close();
      await page.unroute(/\/api\/forms\/[^/]+\/keys(\?|$)/);
    }
    await page.context().close();
  });
});
