import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { assertAccessible, assertStatesSeen, assertTouchable } from "../dashboard/dashboard.ts";

/** With a finger: what is shown depends on it. `isMobile` is left to tests that zoom or tap, as it changes how a page is laid out. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

const desktop = { width: 1280, height: 800 };

export const findButton = (scope: Page | Locator, name: string | RegExp) =>
  scope.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });

/** A page as every page has to be: accessible, no wider than the screen, and on a phone in reach of a finger. */
export async function checkPage(page: Page, what: string): Promise<void> {
  await assertAccessible(page, what);
  await assertStatesSeen(page, what);
  if (page.viewportSize()?.width === phone.viewport.width) await assertTouchable(page, what);
  const overflow = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  assert.ok(overflow <= 0, `${what}: ${overflow} pixels too wide`);
  // A dialog cuts what is wider than itself, and the page does not grow by it.
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll("dialog[open] :is(button, input, select, a[href])")]
      .filter((control) => control.checkVisibility() && !control.matches(".sr-only, [type=file]"))
      .filter((control) => {
        const { right } = control.closest("dialog")?.getBoundingClientRect() ?? { right: 0 };
        return control.getBoundingClientRect().right > right || control.scrollWidth > control.clientWidth + 1;
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 200)),
  );
  assert.deepEqual(cut, [], `${what}: cut by the dialog`);
  await takePictures(page, what);
}

/**
 * With a folder in SEALPOST_PICTURES: the page as a phone and a computer show it, light and dark. The page is left as it was.
 * The names are in the order in which they were taken.
 */
export async function takePictures(page: Page, what: string): Promise<void> {
  const folder = process.env.SEALPOST_PICTURES;
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  const own = page.viewportSize() ?? desktop;
  const place = await page.evaluate(() => window.scrollY);
  // The page below a dialog is left out.
  const isDialog = (await page.getByRole("dialog").count()) > 0;
  const number = String(++taken).padStart(3, "0");
  const name = `${number} ${what}`.replaceAll(/[^\w]+/g, "-");
  for (const viewport of [phone.viewport, desktop]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.evaluate(() => window.scrollTo(0, 0)); // the page's head is drawn where it stands
      const path = join(folder, `${name}-${viewport.width}${colorScheme === "dark" ? "-dark" : ""}.png`);
      await page.screenshot({ path, fullPage: !isDialog, animations: "disabled" });
    }
  }
  await page.setViewportSize(own);
  await page.evaluate((top) => window.scrollTo(0, top), place);
}

/** With that folder: one picture of the page, for anyone who looks for the reason of a failure. */
export async function keepPicture(page: Page, what: string): Promise<void> {
  const folder = process.env.SEALPOST_PICTURES;
  if (folder === undefined || folder === "" || page.isClosed()) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${what.replaceAll(/[^\w]+/g, "-")}.png`), fullPage: true });
}

/** With that folder: a part of a page in NAME.png, light, for the documents. */
export async function keepPart(part: Locator, name: string): Promise<void> {
  const folder = process.env.SEALPOST_PICTURES;
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  await part.page().emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await part.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}

let taken = 0;
