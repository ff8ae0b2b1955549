import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/chromium.ts";
import { shareBrowser } from "../support/shared-browser.ts";
import type { Driver, Engine, InputSource } from "./driver.ts";

/** The Chromium of the other tests, with the few means that the drivers of Firefox and WebKit have. */
export async function findChromiumEngine(): Promise<Engine> {
  const probe = await launchBrowser({ prefersShell: true });
  const version = probe.version();
  await probe.close();
  return { name: "Chromium", version, start: startChromium };
}

/** A window in a fresh profile of the browser that this process shares. */
export async function startChromium(): Promise<Driver> {
  return drive(await shareBrowser());
}

/** A whole browser of its own, which keeps pages alive for "Back" as a visitor's does. */
export async function startWholeChromium(): Promise<Driver> {
  return drive(await launchBrowser({ keepsPages: true }));
}

async function drive(browser: Pick<Browser, "newContext" | "close">): Promise<Driver> {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  const downloads = await mkdtemp(join(tmpdir(), "sealpost-browser-"));
  page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
  page.on("download", (download) => void download.saveAs(join(downloads, download.suggestedFilename())));
  return {
    downloads,
    async navigate(url) {
      await page.goto(url);
    },
    evaluate: (expression) => page.evaluate<string | undefined>(expression),
    perform: (source) => perform(page, source),
    async choose(selector, paths) {
      await page.setInputFiles(selector, [...paths]);
    },
    async close() {
      await browser.close();
      await rm(downloads, { recursive: true, force: true });
    },
  };
}

/** WebDriver's keys without a character, by Playwright's names. */
const keyNames: Readonly<Record<string, string>> = { "\uE007": "Enter", "\uE004": "Tab", "\uE003": "Backspace" };

async function perform({ keyboard, mouse }: Page, source: InputSource): Promise<void> {
  if (source.type === "key") {
    for (const { type, value } of source.actions) {
      const key = keyNames[value] ?? value;
      // A character that no key of a keyboard has comes as from an input method.
      if (/^[\x20-\x7e]$|^\w{3,}$/.test(key)) await (type === "keyDown" ? keyboard.down(key) : keyboard.up(key));
      else if (type === "keyDown") await keyboard.insertText(key);
    }
    return;
  }
  let presses = 0;
  for (const action of source.actions) {
    if (action.type === "pointerMove") await mouse.move(action.x, action.y);
    else if (action.type === "pointerDown") await mouse.down({ clickCount: ++presses });
    else await mouse.up({ clickCount: presses });
  }
}
