import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/** How often Tab may be pressed to get from one thing to the next: less than a person would put up with. */
const stepsMax = 25;

/** Presses Tab until `target` has the focus, and sees that the focus shows. */
export async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  await target.waitFor();
  const passed: string[] = [];
  for (let step = 0; step < stepsMax; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      // A ring around the thing itself or, for what is drawn as a switch, around what it is part of.
      const shows = await target.evaluate((element) => {
        const parts = [element, element.parentElement, element.nextElementSibling].filter((part) => part !== null);
        return parts.some((part) => getComputedStyle(part).outlineStyle !== "none");
      });
      assert.ok(shows, `the focus on ${target} does not show`);
      return;
    }
    await page.keyboard.press(key);
    passed.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80) ?? ""));
  }
  assert.fail(`${target} was not reached:\n${passed.join("\n")}`);
}
