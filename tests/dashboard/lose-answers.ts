import type { Page } from "playwright-core";

/** The service does what it is asked to do, and the browser never hears of it, until the returned function is called. */
export async function loseAnswers(page: Page): Promise<() => Promise<void>> {
  await page.route("**/api/**", async (route) => {
    if (route.request().method() === "GET") return route.continue();
    // The cookies of the answer are lost with it.
    const cookies = await page.context().cookies();
    await route.fetch();
    await page.context().clearCookies();
    await page.context().addCookies(cookies);
    // A page that was left meanwhile has given it up by itself.
    await route.abort().catch(() => {});
  });
  return () => page.unroute("**/api/**");
}
