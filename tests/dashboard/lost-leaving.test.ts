import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { checkPage, phone } from "../support/check-page.ts";
import { equip, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { button } from "./lost-case.ts";

// Anyone who leaves after a change whose answer was lost keeps what belongs to it: the question doesn't say that nothing was sent.

interface Leaving {
  readonly path: (world: World) => string;
  /** Up to the button that sends. */
  readonly open: (page: Page, world: World) => Promise<unknown>;
  readonly press: (page: Page) => ReturnType<typeof button>;
  /** The question then. */
  readonly asks: RegExp;
  /** It needs an open key. */
  readonly isOfBo?: true;
}

interface World {
  readonly formId: string;
  readonly bo: Person;
}

async function keepKeyFile(page: Page): Promise<void> {
  const download = page.waitForEvent("download");
  await button(page, "Download key file").click();
  const path = await (await download).path();
  const next = button(page, "Continue");
  if (await next.isVisible()) await next.click();
  await page.setInputFiles("input[type=file]", path);
  await page.getByText("The test value was opened").waitFor();
}

/** From the paper to the step that sends. */
async function proveSheet(page: Page): Promise<void> {
  await page.getByText("No printer? Write the four lines down").click();
  const items = await page.getByTestId("sheet-lines").first().getByRole("listitem").allInnerTexts();
  await button(page, "I have the sheet on paper").click();
  for (const [index, line] of items.entries()) await page.getByLabel(`Line ${index + 1}`).fill(line.trim());
  await page.keyboard.press("Enter");
}

const leavings: Readonly<Record<string, Leaving>> = {
  "settings of a form": {
    path: ({ formId }) => `/forms/${formId}/settings`,
    open: (page) => page.getByLabel("Name").fill("Another name"),
    press: (page) => button(page, "Save changes"),
    asks: /it may be done/,
  },
  "a form with a key file": {
    path: () => "/forms/new",
    async open(page) {
      await page.getByLabel("Name", { exact: true }).fill("Newest");
      await button(page, "Continue").click();
      await keepKeyFile(page);
    },
    press: (page) => button(page, "Create form"),
    asks: /The form may be there already, and opens with this key alone\. Keep what you saved/,
  },
  "another key of a form": {
    path: ({ formId }) => `/forms/${formId}/keys`,
    async open(page) {
      await button(page, "Make the new key").click();
      await keepKeyFile(page);
    },
    press: (page) => button(page, "Rotate to version 2"),
    asks: /The keys may be rotated already: then visitors seal to this one\. Keep what you saved/,
  },
  "a key of one's own": {
    path: () => "/account/key",
    async open(page) {
      await button(page, "Make your key").click();
      const given = page.getByRole("list", { name: "Your six words" }).getByRole("listitem");
      await given.nth(5).waitFor();
      const words = (await given.allInnerTexts()).join(" ");
      await button(page, "I have kept them").click();
      await page.getByLabel("Six words", { exact: true }).fill(words);
      await page.keyboard.press("Enter");
      await proveSheet(page);
    },
    press: (page) => button(page, "Keep my key"),
    asks: /Your key may be stored already.* Keep the words and the sheet/,
  },
  "another recovery sheet": {
    path: () => "/account/key",
    async open(page, { bo }) {
      await unlockWithSheet(page, bo.own.sheet);
      await button(page, "Add a sheet").click();
      await proveSheet(page);
    },
    press: (page) => button(page, "Save changes"),
    isOfBo: true,
    asks: /The new way may be stored already.* Keep what you have just seen/,
  },
};

describe("leaving after an answer was lost", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;
  let bo: Person;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard, 130);
    bo = await equip(dashboard.service, await dashboard.service.signUp("bo@example.com", "Bo Example"));
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  for (const [name, { path, open, press, asks, isOfBo }] of Object.entries(leavings))
    test(`asks with what may have been done: ${name}`, async () => {
      const world = { formId: contact.form.id, bo };
      const page = isOfBo ? await openBrowserOf(bo, dashboard, phone) : await dashboard.signIn(undefined, phone);
      await page.goto(path(world));
      await open(page, world);
      await loseConnection(page);
      await press(page).click();
      await page.getByRole("alert").first().waitFor();
      await page.getByRole("link", { name: "Forms", exact: true }).click();
      const question = page.getByRole("dialog");
      await question.getByText(asks).waitFor();
      await checkPage(page, `leaving: ${name}`);
      await button(page, "Stay").click();
      await question.waitFor({ state: "detached" });
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().close();
    });
});

/** The next change arrives, and nothing comes back any more. */
async function loseConnection(page: Page): Promise<void> {
  let isSent = false;
  await intercept(page, "**/api/**", async (route) => {
    const changes = route.request().method() !== "GET";
    if (changes) await route.fetch();
    else if (!isSent) return route.fallback();
    isSent ||= changes && !route.request().url().endsWith("/reservations");
    return route.abort();
  });
}
