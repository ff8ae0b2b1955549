import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createClient } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import type { BrowserContext, Page as BrowserPage } from "playwright-core";
import { openerFile } from "../../packages/dashboard/build-opener.ts";
import { fillPath, type Page, type PageName, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import { buildMadeUpDashboard } from "../../packages/dashboard/testing/made-up-dashboard.ts";
import { loadDashboard } from "../../packages/server/src/dashboard/dashboard-files.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { madeUpTag } from "../../packages/texts/testing/made-up.ts";
import { openBrowserOf } from "../support/people.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { findEnglish } from "./find-english.ts";

// The app with a language that has no English letter: any that is left is in no catalogue.

const rows: Readonly<Record<PageName, Page>> = pages;

describe("the dashboard in a made-up language", () => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-made-up-"));
  const reader = { locale: madeUpTag };
  let dashboard: Dashboard;
  let owner: TestAccount;
  let formId = "form_x";

  before(async () => {
    await buildMadeUpDashboard(folder);
    dashboard = await startDashboard({ environment: { SEALPOST_SIGNUP: "open" }, dashboard: loadDashboard(folder) });
  });
  after(async () => {
    await dashboard?.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const pathOf = (name: PageName) => fillPath(pages[name].path, formId);

  async function look(page: BrowserPage, name: string): Promise<void> {
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.locator("html").getAttribute("lang"), madeUpTag, name);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await assertNoEnglish(page, name);
  }

  async function assertNoEnglish(page: BrowserPage, name: string): Promise<void> {
    assert.deepEqual(await findEnglish(page), [], name);
  }

  /** Every dialog and every further part of the page at `path` that a button opens, each from a page of its own. */
  async function lookAfterButtons(context: BrowserContext, path: string): Promise<void> {
    for (let index = 0, count = 1; index < count; index++) {
      const page = await context.newPage();
      await page.goto(path);
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle");
      const buttons = page.locator("main button[type=button]:visible:enabled");
      count = await buttons.count();
      if (index < count) {
        const name = await buttons.nth(index).evaluate((button) => button.ariaLabel ?? button.textContent);
        await buttons.nth(index).click();
        await page.waitForLoadState("networkidle");
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        await assertNoEnglish(page, `${path} after ${name}`);
      }
      await page.close();
    }
  }

  test("no page without a session shows an English letter", async () => {
    const page = await dashboard.open(`${pages.setup.path}?token=${dashboard.service.setupToken}`, reader);
    await look(page, "setup");
    owner = await dashboard.service.signUp("ada@example.com", "Ада");
    for (const name of pageNames.filter((one) => rows[one].audience === "anyone" && one !== "setup")) {
      await page.goto(pathOf(name));
      await look(page, name);
    }
    await page.context().close();
  });

  test("no page for people who are signed in shows an English letter", async () => {
    const client = createClient({ baseUrl: dashboard.service.url, token: owner.token });
    const form = await client.forms.create({ name: "Форма", settings: { encryption: false } });
    formId = form.id;
    const submission = {
      id: createId("submission"),
      payload: { encrypted: false, version: "plain1", fields: { имя: "Кто-то" } },
    };
    const sent = await dashboard.service.request("POST", `/api/forms/${formId}/submissions`, { body: submission });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    await dashboard.service.database
      .updateTable("person")
      // The two databases have no word for true in common.
      .set({ operator_since: 1, second_factor_enabled: sql<boolean>`(1 = 1)` })
      .where("email", "=", "ada@example.com")
      .execute();
    const page = await openBrowserOf({ account: owner }, dashboard, reader);
    for (const name of pageNames.filter((one) => rows[one].audience !== "anyone")) {
      await page.goto(pathOf(name));
      await look(page, name);
    }
    for (const name of pageNames.filter((one) => rows[one].audience !== "anyone"))
      await lookAfterButtons(page.context(), pathOf(name));
    await page.context().close();
  });

  test("the opener shows no English letter", async () => {
    const context = await dashboard.browser.newContext(reader);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, openerFile)).href);
    await look(page, "opener");
    await context.close();
  });
});
