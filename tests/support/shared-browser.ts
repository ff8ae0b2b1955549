import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "./chromium.ts";

/** A browser as its users share it: contexts of their own, with their own cookies, storage, cache and pages. */
export interface SharedBrowser extends Pick<Browser, "newContext" | "newPage"> {
  /** Closes what was opened here. The browser ends with its last user. */
  close(): Promise<void>;
}

/** How long a page may take for what a test waits for: far above what any needs, so that only what never comes is given up. */
const patienceMilliseconds = 180_000;

/** In a process, test files follow each other at once; and it ends when there is nothing left to wait for. */
const idleMilliseconds = 300;

const launchShell = () => launchBrowser({ prefersShell: true });

let launched: Promise<Browser> | undefined;
let users = 0;
let idle: NodeJS.Timeout | undefined;

/** The one browser of this process: to start one takes as long as a short test. After a crash, the next user gets another. */
export async function shareBrowser(launch: () => Promise<Browser> = launchShell): Promise<SharedBrowser> {
  clearTimeout(idle);
  users++;
  const browser = await findOrLaunch(launch).catch((error: unknown) => {
    users--;
    throw error;
  });
  const contexts = new Set<BrowserContext>();

  const newContext: Browser["newContext"] = async (options) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patienceMilliseconds);
    contexts.add(context);
    context.once("close", () => contexts.delete(context));
    return context;
  };
  return {
    newContext,
    async newPage(options) {
      const context = await newContext(options);
      const page = await context.newPage();
      // Where the page was closed with its context, or the browser has ended, there is nothing left to close.
      page.once("close", () => void context.close().catch(() => undefined));
      return page;
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()));
      if (--users > 0) return;
      idle = setTimeout(() => {
        launched = undefined;
        void browser.close();
      }, idleMilliseconds);
    },
  };
}

async function findOrLaunch(launch: () => Promise<Browser>): Promise<Browser> {
  const known = launched;
  const browser = await known?.catch(() => undefined); // a start that failed is tried again
  if (browser?.isConnected()) return browser;
  // Unless somebody else, who waited for the same one, was here before.
  if (launched === known || launched === undefined) launched = launch();
  return launched;
}
