import type { Page, Route } from "playwright-core";

const probe = "/health/live";

/**
 * `page.route`, also for what a page that is open asks next. The browser answers that it intercepts a moment before the page's own process
 * knows, which is long on a busy machine: what the page asks in between passes by. Here a request of the page has been intercepted before this resolves.
 */
export async function intercept(page: Page, address: string, handle: (route: Route) => unknown): Promise<void> {
  await page.route(address, handle);
  if (page.url() === "about:blank") return; // what it opens next is intercepted
  let isIntercepted = false;
  const notice = async (route: Route) => {
    isIntercepted = true;
    await route.fulfill();
  };
  await page.route(`**${probe}`, notice);
  while (!isIntercepted) await page.evaluate(async (path) => void (await fetch(path).catch(() => {})), probe);
  await page.unroute(`**${probe}`, notice);
}
