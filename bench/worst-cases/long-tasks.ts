import type { Page } from "playwright-core";

/** Begins to note the longest task of a page, in Chromium. */
export async function startWatching(page: Page): Promise<void> {
  await page.evaluate(() => {
    const longest = { milliseconds: 0 };
    Object.assign(globalThis, { longest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.milliseconds = Math.max(longest.milliseconds, duration);
    }).observe({ type: "longtask" });
  });
}

/** The longest task since the last call, in milliseconds; 0 when none was over 50, since Chromium tells of no other. */
export async function longestTask(page: Page): Promise<number> {
  // Frames and a turn of the loop: what was begun is over, and the observer was notified of it.
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { longest } = globalThis as unknown as { longest: { milliseconds: number } }; // made above
    const { milliseconds } = longest;
    longest.milliseconds = 0;
    return milliseconds;
  });
}
