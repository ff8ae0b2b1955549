import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { RecoverySheet } from "@sealpost/envelope";
import { createClient } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import type { BrowserContext, Page as BrowserPage } from "playwright-core";
import { openerFile } from "../../packages/dashboard/build-opener.ts";
import { fillPath, type Page, type PageName, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import { buildMadeUpDashboard } from "../../packages/dashboard/testing/made-up-dashboard.ts";
import { loadDashboard } from "../../packages/server/src/dashboard/dashboard-files.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { text } from "../../packages/texts/testing/english.ts";
import { madeUpTag, makeUp, withoutData } from "../../packages/texts/testing/made-up.ts";
import { openBrowserOf } from "../support/people.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { filledEnvironment, fillOrganization } from "./filled-organization.ts";
import { findEnglish } from "./find-english.ts";
import { watchLists } from "./watch-lists.ts";
import { watchOperations } from "./watch-operations.ts";

// The app with a language that has no English letter: any that is left is in no catalogue.

const rows: Readonly<Record<PageName, Page>> = pages;
const inside = pageNames.filter((name) => rows[name].audience !== "anyone");
const madeUp = makeUp(text);

/** Lists that are empty on a page of the crawl, and why. */
const emptyOnPurpose: Readonly<Record<string, string>> = {};
/** Lists that no page of the crawl asks for, and why. */
const unaskedOnPurpose: Readonly<Record<string, string>> = {
  "GET /api/account/admissions": "where an invitation waits for the person: admissions.test.ts",
  "GET /api/account/deletion": "by the dialog about it: below",
  "GET /api/account/export": "a file",
  "GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions":
    "asked for where an envelope's newest revision is refused",
};

describe("the dashboard in a made-up language", () => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-made-up-"));
  const reader = { locale: madeUpTag };
  let dashboard: Dashboard;
  let owner: TestAccount;
  let formId = "form_x";
  /** English words, with the place where each was seen first. */
  const english = new Map<string, string>();

  before(async () => {
    await buildMadeUpDashboard(folder);
    dashboard = await startDashboard({ environment: filledEnvironment, dashboard: loadDashboard(folder) });
  });
  after(async () => {
    await dashboard?.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    assert.deepEqual(dashboard.complaints, []);
    // All of a test at once: an area that was forgotten is on many pages.
    assert.deepEqual(Object.fromEntries(english), {});
  });

  const pathOf = (name: PageName) => fillPath(pages[name].path, formId);

  async function look(page: BrowserPage, name: string): Promise<void> {
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.locator("html").getAttribute("lang"), madeUpTag, name);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await noteEnglish(page, name);
  }

  async function noteEnglish(page: BrowserPage, name: string): Promise<void> {
    for (const words of await findEnglish(page)) if (!english.has(words)) english.set(words, name);
  }

  /** Opens the key in this tab, which then keeps it open for all others. */
  async function unlock(page: BrowserPage, { lines }: RecoverySheet): Promise<void> {
    await page.getByLabel(madeUp.personalKey.sheetInput.line(1)).fill(lines.join(" "));
    await page.getByRole("button", { name: madeUp.personalKey.unlock.unlock, exact: true }).click();
    await page.getByRole("table").waitFor();
  }

  /** The other parts of a page, which have links with its own path. */
  async function lookAtParts(page: BrowserPage, name: string): Promise<void> {
    const parts = await page.locator("main nav a[href]").evaluateAll((links) =>
      links
        .map((link) => new URL((link as HTMLAnchorElement).href))
        .filter(({ pathname, search }) => pathname === window.location.pathname && search !== "")
        .map(({ href }) => href),
    );
    for (const part of parts) {
      await page.goto(part);
      await look(page, `${name} ${new URL(part).search}`);
    }
  }

  /** Every dialog and every further part of the page at `path` that a button opens, each from a page of its own. */
  async function lookAfterButtons(context: BrowserContext, path: string): Promise<void> {
    // One button of many that differ in data alone.
    const pressed = new Set<string>();
    // Sooner than the browser's own idea of idle, which is half a second.
    const seen = watchOperations([]);
    seen.watch(context, "owner");
    for (;;) {
      const page = await context.newPage();
      await page.goto(path);
      await page.locator("h1").first().waitFor();
      await seen.settle();
      const buttons = page.locator("main button[type=button]:visible:enabled");
      const names = await buttons.evaluateAll((all) => all.map((button) => button.ariaLabel ?? button.textContent));
      const kinds = names.map((name) => withoutData(name ?? "").replace(/\d+/g, ""));
      const index = kinds.findIndex((kind) => !pressed.has(kind));
      if (index === -1) return page.close();
      pressed.add(kinds[index] ?? "");
      await buttons.nth(index).click();
      await seen.settle();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await noteEnglish(page, `${path} after ${names[index]}`);
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

  test("no page for people who are signed in shows an English letter, with something in every list and an open key", async () => {
    const plain = await createClient({ baseUrl: dashboard.service.url, token: owner.token }).forms.create({
      name: "Форма",
      settings: { encryption: false },
    });
    const submission = {
      id: createId("submission"),
      payload: { encrypted: false, version: "plain1", fields: { имя: "Кто-то" } },
    };
    const sent = await dashboard.service.request("POST", `/api/forms/${plain.id}/submissions`, { body: submission });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const filled = await fillOrganization(dashboard.service, owner, { form: "Совет", person: "Кто-то" });
    formId = filled.formId;
    const unlockedTab = await openBrowserOf({ account: owner, own: filled.ownKey }, dashboard, reader);
    await unlockedTab.goto(pathOf("submissions"));
    await unlock(unlockedTab, filled.sheet);
    const lists = watchLists(
      dashboard.service.app.server,
      (await dashboard.service.request("GET", "/api/openapi.json")).body,
    );
    const page = await unlockedTab.context().newPage();
    for (const name of inside) {
      lists.begin(name);
      await page.goto(pathOf(name));
      await look(page, name);
      await lists.look(page);
      await lookAtParts(page, name);
    }
    assert.deepEqual(lists.listEmpty(), Object.keys(emptyOnPurpose).sort());
    assert.deepEqual(lists.listUnasked(), Object.keys(unaskedOnPurpose).sort());
    // Last where the key is locked, and changed.
    for (const name of [...inside.filter((one) => one !== "yourKey"), "yourKey" as const])
      await lookAfterButtons(page.context(), pathOf(name));
    formId = plain.id;
    for (const name of inside.filter((one) => rows[one].path.includes("$"))) {
      await page.goto(pathOf(name));
      await look(page, `${name} of a form without encryption`);
    }
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
