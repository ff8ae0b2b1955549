import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import { fillPath, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import { phone } from "../support/check-page.ts";
import { openBrowserOf } from "../support/people.ts";
import { rows } from "./compare-rows.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { filledEnvironment, fillOrganization } from "./filled-organization.ts";

// On a slow line the parts of a page come one after the other. What somebody is about to press stays where it is meanwhile.

/** Between one answer and the next. */
const apartMilliseconds = 120;

describe("while a page comes on a slow line", { concurrency: 4 }, () => {
  let dashboard: Dashboard;
  let inside: BrowserContext;
  let outside: BrowserContext;
  let formId: string;

  before(async () => {
    dashboard = await startDashboard({ environment: filledEnvironment });
    const { service } = dashboard;
    const setup = await dashboard.open(`${pages.setup.path}?token=${service.setupToken}`, phone);
    outside = setup.context();
    const owner = await service.signUp("ada@example.com", "Ada Example");
    ({ formId } = await fillOrganization(service, owner, { form: "Works council", person: "Somebody" }));
    inside = (await openBrowserOf({ account: owner }, dashboard, phone)).context();
    for (const context of [outside, inside]) await context.addInitScript(watchControls);
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
        assert.deepEqual(await page.evaluate(() => (globalThis as unknown as Watched).moved), []);
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
  await page.route("**/assets/**", async (route) => {
    quiet = 0;
    await setTimeout(apartMilliseconds);
    await route.fallback();
  });
  return async () => {
    while (quiet < 5) await setTimeout(apartMilliseconds);
  };
}

interface Watched {
  moved: string[];
}

/** Runs in the page: notes each control in sight that is elsewhere in the next frame, although nobody has scrolled. */
function watchControls(): void {
  const watched = globalThis as unknown as Watched;
  watched.moved = [];
  let before = new Map<Element, number>();
  const look = () => {
    const now = new Map<Element, number>();
    for (const control of document.querySelectorAll("main :is(button, a, input, select, summary)")) {
      const { top, height } = control.getBoundingClientRect();
      const from = before.get(control);
      const name = control.getAttribute("aria-label") ?? control.textContent ?? "";
      if (from !== undefined && from < innerHeight && Math.abs(top - from) > 8)
        watched.moved.push(`${name.slice(0, 40)}: ${Math.round(from)} → ${Math.round(top)}`);
      if (height > 0) now.set(control, top);
    }
    before = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
