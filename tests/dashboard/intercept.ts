import type { Page, Route } from "playwright-core";

const probe = "/health/live";

/** Far more than a busy machine needs. */
const probesMax = 100;

/**
 * `page.route`, also for what a page that is open asks next. The browser answers that it intercepts a moment before the page's own process
 * knows, which is long on a busy machine: what the page asks in between passes by. Here a request of the page has been intercepted before this resolves.
 * What a page still asks while it is closed is given up.
 */
export async function intercept(
  page: Page,
  address: string | RegExp,
  handle: (route: Route) => unknown,
): Promise<void> {
  await page.route(address, async (route) => {
    try {
      await handle(route);
    } catch (error) {
      if (!page.context().isClosed()) throw error;
    }
  });
  // An empty tab and an answer that is no page of the app ask nothing, and what they open next is intercepted.
  if (page.url() === "about:blank" || !(await page.evaluate(() => document.contentType === "text/html"))) return;
  let isIntercepted = false;
  const notice = async (route: Route) => {
    isIntercepted = true;
    await route.fulfill();
  };
  await page.route(`**${probe}`, notice);
  for (let probes = 0; !isIntercepted; probes++) {
    if (probes === probesMax) throw new Error(`${page.url()} asks nothing that is intercepted`);
    await page.evaluate(async (path) => void (await fetch(path).catch(() => {})), probe);
  }
  await page.unroute(`**${probe}`, notice);
}
