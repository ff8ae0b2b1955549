import type { Page } from "playwright-core";

/**
 * The service does what it is asked to do, at these addresses, and the browser never hears of it, until the returned
 * function is called.
 */
export async function loseAnswers(page: Page, address = "**/api/**"): Promise<() => Promise<void>> {
  await page.route(address, async (route) => {
    if (route.request().method() === "GET") return route.continue();
    // The cookies of the answer are lost with it.
    const cookies = await page.context().cookies();
    await route.fetch();
    await page.context().clearCookies();
    await page.context().addCookies(cookies);
    // A page that was left meanwhile has given it up by itself.
    await route.abort().catch(() => {});
  });
  return () => page.unroute(address);
}
