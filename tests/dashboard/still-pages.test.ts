import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import { fillPath, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import { openBrowserOf } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { rows } from "./compare-rows.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { filledEnvironment, fillOrganization } from "./filled-organization.ts";

// On a slow line the parts of a page come one after the other. What somebody is about to press stays where it is meanwhile.

/** So high that all of a page is in sight: links lead into its middle, and people scroll while it comes. */
const phone = { viewport: { width: 390, height: 6000 } };

/** Between one answer and the next. */
const apartMilliseconds = 120;

describe("while a page comes on a slow line", { concurrency: 4 }, () => {
  let dashboard: Dashboard;
  let inside: BrowserContext;
  let unlocked: BrowserContext;
  let outside: BrowserContext;
  let formId: string;

  before(async () => {
    dashboard = await startDashboard({ environment: filledEnvironment });
    const { service } = dashboard;
    const setup = await dashboard.open(`${pages.setup.path}?token=${service.setupToken}`, phone);
    outside = setup.context();
    const owner = await service.signUp("ada@example.com", "Ada Example");
    const filled = await fillOrganization(service, owner, { form: "Works council", person: "Somebody" });
    formId = filled.formId;
    inside = (await openBrowserOf({ account: owner }, dashboard, phone)).context();
    const tab = await openBrowserOf({ account: owner }, dashboard, phone);
    await tab.goto(fillPath(pages.formKeys.path, formId));
    await unlockWithSheet(tab, filled.sheet);
    await tab.getByText("is put into the form's envelope").waitFor();
    unlocked = tab.context(); // the tab stays open: the others get the open key from it
    for (const context of [outside, inside, unlocked]) await context.addInitScript(watchPage);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  for (const order of ["asked first", "asked last"] as const)
    for (const name of pageNames)
      test(`nothing that can be pressed moves away by itself, where the answer comes first that was ${order}: ${name}`, async () => {
        const page = await (rows[name].audience === "anyone" ? outside : inside).newPage();
        const untilAnswered = await spreadAnswers(page, order);
        await page.goto(fillPath(pages[name].path, formId));
        await page.locator("main h1").first().waitFor();
        await untilAnswered();
        assert.deepEqual(await page.evaluate(() => (globalThis as unknown as Watched).found().moved), []);
        await page.close();
      });

  /** The part that comes last. */
  const last = {
    formKeys: (page: Page) => page.getByText("is put into the form's envelope"),
    embed: (page: Page) => page.getByRole("tab", { name: "React" }),
  };
  for (const name of ["formKeys", "embed"] as const)
    test(`nothing is said for a moment while it is asked for, with an open key: ${name}`, async () => {
      const page = await unlocked.newPage();
      const untilAnswered = await spreadAnswers(page, "asked first");
      await page.goto(fillPath(pages[name].path, formId));
      await page.locator("main h1").first().waitFor();
      await last[name](page).waitFor();
      await untilAnswered();
      const { unsaid } = await page.evaluate(() => (globalThis as unknown as Watched).found());
      assert.deepEqual(unsaid, []);
      await page.close();
    });
});

/** Lets one answer after the other through. The function that it gives resolves once all have come, and nothing more is asked. */
async function spreadAnswers(page: Page, order: "asked first" | "asked last"): Promise<() => Promise<void>> {
  const waiting: (() => void)[] = [];
  let quiet = 0;
  const timer = setInterval(() => {
    const next = order === "asked first" ? waiting.shift() : waiting.pop();
    quiet = next === undefined ? quiet + 1 : 0;
    next?.();
  }, apartMilliseconds);
  page.once("close", () => clearInterval(timer));
  await page.route("**/api/**", async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await route.fallback();
  });
  // Scripts that are asked for at once are one batch, which comes in either order too.
  let batch: (() => void)[] = [];
  await page.route("**/assets/**", async (route) => {
    quiet = 0;
    await new Promise<void>((resolve) => {
      if (batch.push(resolve) === 1) void releaseBatch();
    });
    await route.fallback();
  });
  const releaseBatch = async () => {
    await setTimeout(apartMilliseconds);
    const released = batch;
    batch = [];
    for (const release of order === "asked first" ? released : released.toReversed()) {
      quiet = 0;
      release();
      await setTimeout(apartMilliseconds / 4);
    }
  };
  return async () => {
    while (quiet < 5) await setTimeout(apartMilliseconds);
  };
}

interface Watched {
  /** Controls that have moved, and sentences that were there and are not any more. */
  found(): { readonly moved: readonly string[]; readonly unsaid: readonly string[] };
}

/** Runs in the page: notes each control in sight that is elsewhere in the next frame, although nobody has scrolled, and what is said. */
function watchPage(): void {
  const moved: string[] = [];
  const said = new Set<string>();
  const sentences = () =>
    [...document.querySelectorAll("#content :is(p, li, h2, h3)")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(".sr-only"))
      .map(({ textContent }) => textContent.replaceAll(/\d+/g, ""))
      .filter((sentence) => sentence !== "Loading…");
  (globalThis as unknown as Watched).found = () => {
    const now = new Set(sentences());
    return { moved, unsaid: [...said].filter((sentence) => !now.has(sentence)) };
  };
  let before = new Map<Element, number>();
  const look = () => {
    const now = new Map<Element, number>();
    for (const control of document.querySelectorAll("main :is(button, a, input, select, summary)")) {
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      const { top, height } = control.getBoundingClientRect();
      const from = before.get(control);
      const name = control.getAttribute("aria-label") ?? control.textContent ?? "";
      if (from !== undefined && from < innerHeight && Math.abs(top - from) > 8)
        moved.push(`${name.slice(0, 40)}: ${Math.round(from)} → ${Math.round(top)}`);
      if (height > 0) now.set(control, top);
    }
    before = now;
    for (const sentence of sentences()) said.add(sentence);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
