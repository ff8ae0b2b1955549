import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { fillPath, type PageName, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { openBrowserOf } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { rows } from "./compare-rows.ts";
import { assertTouchable, type Dashboard, startDashboard } from "./dashboard.ts";
import { type FilledOrganization, filledEnvironment, fillOrganization } from "./filled-organization.ts";
import { intercept } from "./intercept.ts";

// On a slow line the parts of a page come one after the other. What somebody is about to press stays where it is meanwhile.

/** So high that all of a page is in sight: links lead into its middle, and people scroll while it comes. */
const phone = { viewport: { width: 390, height: 6000 }, hasTouch: true, isMobile: true };

type Order = "asked first" | "asked last";

/** Between one answer and the next. */
const apartMilliseconds = 120;

describe("while a page comes on a slow line", { concurrency: 4 }, () => {
  let dashboard: Dashboard;
  let filled: FilledOrganization;
  let outside: BrowserContext;
  let inside: BrowserContext;
  /** Nobody has made anything there. */
  let empty: BrowserContext;
  let unlocked: BrowserContext;
  let invited: BrowserContext;

  before(async () => {
    // One address asks for every page within a minute.
    dashboard = await startDashboard({ environment: { ...filledEnvironment, SEALPOST_API_RATE: "0" } });
    const { service } = dashboard;
    const setup = await dashboard.open(`${pages.setup.path}?token=${service.setupToken}`, phone);
    outside = setup.context();
    const owner = await service.signUp("ada@example.com", "Ada Example");
    const newcomer = await service.signUp("cleo@example.com", "Cleo");
    filled = await fillOrganization(service, owner, { form: "Works council", person: "Somebody" });
    const openOf = async (account: TestAccount) => (await openBrowserOf({ account }, dashboard, phone)).context();
    inside = await openOf(owner);
    empty = await openOf(newcomer);
    invited = await openOf(filled.brought.account);
    const tab = await openBrowserOf({ account: owner, own: filled.ownKey }, dashboard, phone);
    await tab.goto(fillPath(pages.formKeys.path, filled.formId));
    await unlockWithSheet(tab, filled.sheet);
    await tab.getByText("is put into the form's envelope").waitFor();
    unlocked = tab.context(); // the tab stays open: the others get the open key from it
    for (const context of [outside, inside, empty, unlocked, invited]) await context.addInitScript(watchPage);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  interface Case {
    readonly name: PageName;
    /** In whose browser. */
    readonly context: () => BrowserContext;
    readonly order: Order;
    readonly state: string;
    readonly hash?: () => string;
    /** The part that comes last. */
    readonly last?: (page: Page) => Locator;
    /** Nothing is said that is taken back once all is there. */
    readonly isFinal?: boolean;
  }

  const last: { readonly [Name in PageName]?: (page: Page) => Locator } = {
    submissions: (page) => page.getByRole("table"),
    formKeys: (page) => page.getByText("is put into the form's envelope"),
    embed: (page) => page.getByRole("tab", { name: "React" }),
  };

  const outsideOrInside = (name: PageName) => () => (rows[name].audience === "anyone" ? outside : inside);
  const isOfForm = (name: PageName) => rows[name].path.includes("$");
  const isOutside = (name: PageName) => rows[name].audience === "anyone";
  const cases: readonly Case[] = [
    ...(["asked first", "asked last"] as const).flatMap((order) =>
      pageNames.map((name) => ({ name, order, context: outsideOrInside(name), state: order })),
    ),
    ...pageNames
      .filter((name) => !isOfForm(name) && !isOutside(name) && rows[name].audience !== "operator")
      .map((name) => ({ name, order: "asked first" as const, context: () => empty, state: "nothing was made yet" })),
    ...pageNames.filter(isOfForm).map((name) => ({
      ...{ name, order: "asked first" as const, context: () => unlocked, state: "with an open key" },
      ...(last[name] && { last: last[name] }),
      isFinal: name === "formKeys" || name === "embed",
    })),
    {
      ...{ name: "join", order: "asked first", context: () => invited, state: "with its link" },
      hash: () => `#${filled.brought.link}`,
      last: (page) => page.getByRole("button", { name: "Unlock", exact: true }),
    },
  ];

  for (const { name, order, context, state, hash, isFinal, last: lastPart } of cases)
    test(`nothing that can be pressed moves away or goes by itself, and a finger hits all of it: ${name}, ${state}`, async () => {
      const page = await context().newPage();
      const untilAnswered = await spreadAnswers(page, order);
      await page.goto(fillPath(pages[name].path, filled.formId) + (hash?.() ?? ""));
      await page.locator("main h1").first().waitFor();
      await lastPart?.(page).waitFor();
      await untilAnswered();
      const { moved, gone, unsaid } = await page.evaluate(() => (globalThis as unknown as Watched).found());
      assert.deepEqual({ moved, gone: gone.filter((control) => control !== "Stop") }, { moved: [], gone: [] });
      if (isFinal) assert.deepEqual(unsaid, []);
      await assertTouchable(page, name);
      await page.close();
    });
});

/** Lets one answer after the other through. The function that it gives resolves once all have come, and nothing more is asked. */
async function spreadAnswers(page: Page, order: Order): Promise<() => Promise<void>> {
  const waiting: (() => void)[] = [];
  let quiet = 0;
  const timer = setInterval(() => {
    const next = order === "asked first" ? waiting.shift() : waiting.pop();
    quiet = next === undefined ? quiet + 1 : 0;
    next?.();
  }, apartMilliseconds);
  page.once("close", () => clearInterval(timer));
  await intercept(page, "**/api/**", async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await route.fallback();
  });
  // Scripts that are asked for at once are one batch, which comes in either order too.
  let batch: (() => void)[] = [];
  await intercept(page, "**/assets/**", async (route) => {
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
  /** Controls that have moved, controls that could be pressed and sentences that were there, and are not any more. */
  found(): { readonly moved: readonly string[]; readonly gone: readonly string[]; readonly unsaid: readonly string[] };
}

/** Runs in the page: notes each control in sight that is elsewhere in the next frame, although nobody has scrolled, and what is said. */
function watchPage(): void {
  const moved: string[] = [];
  const offered = new Map<Element, string>();
  const said = new Set<string>();
  const sentences = () =>
    [...document.querySelectorAll("#content :is(p, li, h2, h3)")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(".sr-only"))
      .map(({ textContent }) => textContent.replaceAll(/\d+/g, ""))
      .filter((sentence) => sentence !== "Loading…");
  (globalThis as unknown as Watched).found = () => {
    const now = new Set(sentences());
    const names = new Set([...before.keys()].map(nameOf));
    const gone = [...offered].filter(([control, name]) => !before.has(control) && !names.has(name));
    return { moved, gone: gone.map(([, name]) => name), unsaid: [...said].filter((sentence) => !now.has(sentence)) };
  };
  const nameOf = (control: Element) => (control.getAttribute("aria-label") ?? control.textContent ?? "").slice(0, 40);
  let before = new Map<Element, number>();
  const look = () => {
    const now = new Map<Element, number>();
    for (const control of document.querySelectorAll("main :is(button, a, input, select, summary)")) {
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      const { top, height } = control.getBoundingClientRect();
      const from = before.get(control);
      if (from !== undefined && from < innerHeight && Math.abs(top - from) > 8)
        moved.push(`${nameOf(control)}: ${Math.round(from)} → ${Math.round(top)}`);
      if (height > 0) now.set(control, top);
      if (height > 0 && !control.matches(":disabled, [aria-disabled=true]")) offered.set(control, nameOf(control));
    }
    const places = new Map([...now].map(([control, top]) => [nameOf(control), top]));
    for (const [control, from] of before) {
      const top = places.get(nameOf(control));
      const isReplaced = !control.isConnected && nameOf(control) !== "" && top !== undefined;
      if (isReplaced && Math.abs(top - from) > 8) moved.push(`${nameOf(control)}, made again: ${from} → ${top}`);
    }
    before = now;
    for (const sentence of sentences()) said.add(sentence);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
