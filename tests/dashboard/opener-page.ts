import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { dashboardFolder } from "../../packages/dashboard/build.ts";
import { openerFile } from "../../packages/dashboard/build-opener.ts";
import { shareBrowser } from "../support/shared-browser.ts";

export interface OpenerPages {
  /** The opener, from the disk. */
  open(options?: BrowserContextOptions): Promise<Page>;
  write(name: string, content: string | Uint8Array): void;
  /** Chooses files that were written, at the button of this label. */
  choose(page: Page, label: string, ...names: readonly string[]): Promise<void>;
  /** Requests of the pages, and refusals by their policy. Tests end with these empty. */
  readonly requests: string[];
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Pages of `sealpost-opener.html`, with files to choose. */
export async function startOpener(): Promise<OpenerPages> {
  const browser = await shareBrowser();
  const folder = mkdtempSync(join(tmpdir(), "sealpost-opener-"));
  const requests: string[] = [];
  const complaints: string[] = [];

  async function open(options?: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(dashboardFolder, openerFile)).href);
    // Nothing may be asked for after this, not even from the disk.
    page.on("request", (request) => {
      if (!request.url().startsWith("blob:")) requests.push(request.url());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
    });
    return page;
  }

  return {
    open,
    write: (name, content) => writeFileSync(join(folder, name), content),
    async choose(page, label, ...names) {
      await page
        .locator(`input[type=file][aria-label="${label}"]`)
        .setInputFiles(names.map((name) => join(folder, name)));
    },
    requests,
    complaints,
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true });
    },
  };
}
