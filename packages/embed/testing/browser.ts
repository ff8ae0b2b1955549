import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContext, firefox, type Page, webkit } from "playwright-core";
import { launchBrowser } from "../../../tests/support/chromium.ts";
import type { Options } from "../src/options.ts";
import type { TestService } from "./service.ts";

/** Chromium; or with SEALPOST_BROWSER=firefox or webkit the one that Playwright installed. */
export async function launchTestBrowser(): Promise<Browser> {
  const name = process.env.SEALPOST_BROWSER ?? "chromium";
  if (name === "chromium") return launchBrowser({ prefersShell: true });
  if (name === "firefox") return firefox.launch();
  if (name === "webkit") return webkit.launch();
  throw new Error(`SEALPOST_BROWSER is ${name}: chromium, firefox and webkit are known`);
}

/** Somebody's website, on another origin than the service. */
export interface TestSite {
  readonly url: string;
  readonly context: BrowserContext;
  /** The browser's reports of violations of a page's Content-Security-Policy. */
  readonly violations: readonly string[];
  /** Requests for anything but the pages put here. */
  readonly strays: readonly string[];
  /** Puts `html` at a path of its own and opens it. */
  open(
    html: string,
    headers?: Readonly<Record<string, string>>,
    prepare?: (page: Page) => Promise<unknown>,
  ): Promise<Page>;
  /** The same in the tab that a test opened last, whose document ends by it: cheaper than a tab of its own. */
  openNext(html: string, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** A fresh browser profile: pages of an earlier test might still be sending, and a fake clock holds for all of them. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function startSite(browser: Pick<Browser, "newContext">): Promise<TestSite> {
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>();
  const violations: string[] = [];
  const strays: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    if (path === "/violations") {
      let report = "";
      for await (const chunk of request.setEncoding("utf8")) report += chunk;
      violations.push(report);
      response.writeHead(204).end();
      return;
    }
    const page = pages.get(path);
    if (page === undefined && path !== "/favicon.ico") strays.push(`${request.method} ${path}`);
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
      ...page?.headers,
    });
    response.end(page?.html ?? "<!doctype html><title>Elsewhere</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  const url = `http://localhost:${port}`;
  let context = await browser.newContext();
  let last: Page | undefined;

  async function show(page: Page, html: string, headers: Readonly<Record<string, string>>): Promise<Page> {
    const path = `/${pages.size}`;
    pages.set(path, { html: `<!doctype html><html lang="en"><title>Site</title>${html}`, headers });
    await page.goto(url + path);
    return page;
  }

  return {
    url,
    get context() {
      return context;
    },
    violations,
    strays,
    async open(html, headers = {}, prepare) {
      last = await context.newPage();
      const page = last;
      await prepare?.(page);
      return show(page, html, headers);
    },
    async openNext(html, headers = {}) {
      last ??= await context.newPage();
      return show(last, html, headers);
    },
    async reset() {
      await context.close();
      last = undefined;
      context = await browser.newContext();
      violations.length = strays.length = 0;
    },
    async close() {
      await context.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Far above what a script of a test takes in its page, on a busy machine too. */
const hangMilliseconds = 300_000;

/**
 * What `page` gives for `work`, a script that runs in it; or an error that says what was `running` there, where it never ends. Then the page
 * is closed, which would use a processor for as long as its browser is there.
 */
export async function endHung<Result>(page: Page, work: Promise<Result>, running: () => string): Promise<Result> {
  const hung = Promise.withResolvers<never>();
  const timer = setTimeout(async () => {
    hung.reject(new Error(`the page hangs: ${running()}`));
    await page.close();
  }, hangMilliseconds);
  try {
    return await Promise.race([work, hung.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The snippet of the service's `embedCode`. */
export function embedCode(service: TestService, options: Options & Record<string, unknown> = {}): string {
  return `${scriptTag(service)}<script>window.handle = Sealpost.init(${JSON.stringify(service.formId)}, ${JSON.stringify(options)});</script>`;
}

/** The same with the script that knows the option `keyLog`. */
export function keyLogCode(service: TestService, options: Options & Record<string, unknown> = {}): string {
  return embedCode(service, options).replace(scriptTag(service), scriptTag(service, "", "sealpost-key-log"));
}

export function scriptTag(
  { url, manifest }: TestService,
  attributes = "",
  name: "sealpost" | "sealpost-key-log" = "sealpost",
): string {
  const { file, integrity } = manifest.scripts[name];
  return `<script src="${url}/embed/${file}" integrity="${integrity}" crossorigin="anonymous" ${attributes}></script>`;
}

/** The optional stylesheet, as a page names it. */
export function styleTag({ url, manifest }: TestService): string {
  const { file, integrity } = manifest.styles.sealpost;
  return `<link rel="stylesheet" href="${url}/embed/${file}" integrity="${integrity}" crossorigin="anonymous">`;
}

/** Resolves when the page's form is in `state`, and gives its messages. */
export async function untilState(page: Page, state: string): Promise<string> {
  await page.locator(`form[data-sealpost-state="${state}"]`).first().waitFor({ state: "attached" });
  return (await page.locator('[role="status"], [role="alert"]').allTextContents()).join("").trim();
}
