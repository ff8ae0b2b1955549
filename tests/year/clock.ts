import type { BrowserContext } from "playwright-core";

/**
 * Dates of a page or a worker are ahead of the system's by `clockAhead`; what counts seconds goes as ever. Playwright's own clock
 * does not reach into workers, which date what they sign, and moves by days where its scripts run a second time in a page.
 */
const shiftDates = `if (!("clockAhead" in globalThis)) {
  globalThis.clockAhead = 0;
  globalThis.Date = class extends Date {
    constructor(...given) {
      super(...(given.length === 0 ? [Date.now()] : given));
    }
    static now() {
      return super.now() + globalThis.clockAhead;
    }
  };
}`;

const setAhead = (now: number) => `globalThis.clockAhead = ${now - Date.now()};`;

/** Makes this device show what `now` gives at that moment, in its pages and in the workers that they start. */
export async function installClock(context: BrowserContext, now: () => number): Promise<void> {
  await context.addInitScript(shiftDates);
  await moveClock(context, now());
  await context.route(/worker-[\w-]+\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${shiftDates}\n${setAhead(now())}\n${await response.text()}` });
  });
}

/** A worker that runs already keeps its time. Anyone who comes back after days loads the page, which starts another. */
export async function moveClock(context: BrowserContext, now: number): Promise<void> {
  await context.addInitScript(setAhead(now)); // the newest is the last to run
  for (const page of context.pages()) await page.evaluate(setAhead(now));
}
