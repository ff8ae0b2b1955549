import type { Locator, Page } from "playwright-core";
import { tabTo } from "../dashboard/tab-to.ts";
import { findButton } from "../support/check-page.ts";

/** How a person uses a page. Everything is found by its accessible name. */
export interface Hands {
  /** A button, in the whole page or in a part of it. */
  press(scope: Page | Locator, name: string | RegExp): Promise<void>;
  type(page: Page, label: string, text: string): Promise<void>;
  /** A box to tick or one of several choices. */
  choose(page: Page, label: string | RegExp): Promise<void>;
  follow(page: Page, link: string | RegExp): Promise<void>;
  /** An item of an open menu. */
  pick(page: Page, item: string): Promise<void>;
}

const pageOf = (scope: Page | Locator): Page => ("page" in scope ? scope.page() : scope);
const findChoice = (page: Page, label: string | RegExp) =>
  page.getByRole("checkbox", { name: label }).or(page.getByRole("radio", { name: label }));

const findLink = (page: Page, name: string | RegExp) =>
  page.getByRole("link", { name, exact: typeof name === "string" }).first();

/** Taps, and types into what was tapped. */
export const finger: Hands = {
  press: (scope, name) => findButton(scope, name).click(),
  type: (page, label, text) => page.getByLabel(label, { exact: true }).fill(text),
  choose: (page, label) => findChoice(page, label).check(),
  follow: (page, link) => findLink(page, link).click(),
  pick: (page, item) => page.getByRole("menuitem", { name: item }).click(),
};

/** Tab, Enter, the space bar and letters, and nothing else; the focus has to show wherever it stops. */
export const keyboard: Hands = {
  async press(scope, name) {
    const page = pageOf(scope);
    await reach(page, findButton(scope, name));
    await page.keyboard.press("Enter");
  },
  async type(page, label, text) {
    await reach(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  },
  async choose(page, label) {
    const choice = findChoice(page, label);
    // Among several choices, Tab reaches the chosen one, and the arrows reach the others.
    if ((await choice.getAttribute("type")) === "radio") await focusRadio(page, choice);
    else await reach(page, choice);
    if (!(await choice.isChecked())) await page.keyboard.press("Space");
  },
  async follow(page, link) {
    await reach(page, findLink(page, link));
    await page.keyboard.press("Enter");
  },
  async pick(page, item) {
    await tabTo(page, page.getByRole("menuitem", { name: item }), "ArrowDown");
    await page.keyboard.press("Enter");
  },
};

/** Back where what is wanted stands above. */
async function reach(page: Page, target: Locator): Promise<void> {
  const isAbove = await target.evaluate((element) => {
    const focused = document.activeElement ?? document.body;
    return (focused.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  });
  await tabTo(page, target, isAbove ? "Shift+Tab" : "Tab");
}

async function focusRadio(page: Page, choice: Locator): Promise<void> {
  const name = (await choice.getAttribute("name")) ?? "";
  await reach(page, page.locator(`input[type=radio][name="${name}"]:checked`));
  for (let step = 0; step < 10 && !(await choice.isChecked()); step++) await page.keyboard.press("ArrowDown");
}
