import type { Page } from "playwright-core";
import { intercept } from "./intercept.ts";

/**
 * The service does what it is asked to do, at these addresses, and the browser never hears of it, until the returned
 * function is called.
 */
export async function loseAnswers(page: Page, address = "**/api/**"): Promise<() => Promise<void>> {
  await intercept(page, address, async (route) => {
    if (route.request().method() === "GET") return route.continue();
    // The cookies of the answer are lost with it. Those before stay throughout: what the page reads meanwhile has them.
    const before = await page.context().cookies();
    await route.fetch();
    for (const { name } of await page.context().cookies())
      if (before.every((cookie) => cookie.name !== name)) await page.context().clearCookies({ name });
    await page.context().addCookies(before);
    // A page that was left meanwhile has given it up by itself.
    await route.abort().catch(() => {});
  });
  return () => page.unroute(address);
}
