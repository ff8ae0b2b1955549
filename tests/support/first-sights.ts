import type { Locator, Page } from "playwright-core";
import { findButton } from "./check-page.ts";

/** Brings each reader and form of a group of first sights to the screen, as somebody does who looks through them: it takes no answer before. */
export async function showRows(group: Locator): Promise<void> {
  for (const row of await group.locator("[data-row]").all()) {
    await row.scrollIntoViewIfNeeded();
    await row.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
}

/** Says that the forms of the first group are right. `name`: of its button. */
export async function sayTheseAreRight(
  scope: Page | Locator,
  name: string | RegExp = "These are right",
): Promise<void> {
  const right = findButton(scope, name).first();
  await right.waitFor();
  await showRows(right.locator("xpath=ancestor::section[1]"));
  await right.click();
}
