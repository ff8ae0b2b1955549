import assert from "node:assert/strict";
import { type Client, createClient } from "@sealpost/sdk";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Route } from "playwright-core";
import {
  createTestService,
  type TestService,
  type TestServiceOptions,
} from "../../packages/server/src/testing/test-service.ts";
import { findViolations } from "../support/axe.ts";
import { createSecretLedger } from "../support/secret-ledger.ts";
import { type SharedBrowser, shareBrowser } from "../support/shared-browser.ts";
import { intercept } from "./intercept.ts";

export { submit, submitHybrid } from "../support/submit.ts";

export const person = { name: "Ada Example", email: "ada@example.com", password: "correct horse battery" };

export interface Dashboard {
  readonly service: TestService;
  readonly browser: SharedBrowser;
  /** Refusals by the page's policy, errors of the app, and requests that went elsewhere. Tests end with this empty. */
  readonly complaints: string[];
  /** A page in a context of its own: its own cookies, storage and keys. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Signs in through the page. */
  signInByPage(): Promise<Page>;
  /** A page that is signed in already, all with the one session of `person`: the first page of the app, or that at `path`. */
  signIn(path?: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** The real service with the built app, and a browser that listens for everything that must not happen. */
export async function startDashboard({
  launch,
  ...options
}: TestServiceOptions & { readonly launch?: () => Promise<Browser> } = {}): Promise<Dashboard> {
  const closers: (() => unknown)[] = [];
  const browser = await shareBrowser(launch);
  const complaints: string[] = [];
  const ledger = createSecretLedger();
  const scope = { after: (close: () => unknown) => void closers.push(close) };
  const service = await createTestService(scope, { log: ledger.log, ...options });
  ledger.record(service.app.server);
  let session: ReturnType<typeof signIn> | undefined;

  async function createContext(contextOptions: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: service.url, ...contextOptions });
    await watch(context, service.url, complaints);
    await ledger.watch(context);
    return context;
  }

  async function open(path: string, contextOptions?: BrowserContextOptions): Promise<Page> {
    const page = await (await createContext(contextOptions)).newPage();
    await page.goto(path);
    return page;
  }

  return {
    service,
    browser,
    complaints,
    open,
    async signInByPage() {
      const page = await open("/sign-in");
      await page.getByLabel("Email address").fill(person.email);
      await page.getByLabel("Password", { exact: true }).fill(person.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Forms" }).waitFor();
      return page;
    },
    async signIn(path, contextOptions) {
      session ??= signIn(service);
      const context = await createContext(contextOptions);
      await context.addCookies([{ ...(await session), url: service.url, sameSite: "Lax", httpOnly: true }]);
      const page = await context.newPage();
      await page.goto(path ?? "/");
      if (path === undefined) await page.getByRole("heading", { name: "Forms" }).waitFor();
      return page;
    },
    async close() {
      await browser.close();
      const leaks = await ledger.findLeaks(service.database);
      for (const close of closers.reverse()) await close();
      assert.deepEqual(leaks, [], "secrets that the service was sent, has stored or has logged");
    },
  };
}

async function signIn(service: TestService): Promise<{ readonly name: string; readonly value: string }> {
  const { email, password } = person;
  const answer = await service.request("POST", "/api/auth/sign-in/email", { body: { email, password } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [name = "", value = ""] = (answer.headers.getSetCookie()[0]?.split(";")[0] ?? "").split("=");
  return { name, value };
}

async function watch(context: BrowserContext, own: string, complaints: string[]): Promise<void> {
  await context.exposeBinding("complain", (_source, complaint: string) => complaints.push(complaint));
  await context.addInitScript(() => {
    // The page's own realm: `complain` is the binding above.
    const { complain } = globalThis as unknown as { complain(complaint: string): void };
    document.addEventListener("securitypolicyviolation", (event) =>
      complain(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`),
    );
  });
  context.on("page", (page) => {
    page.on("pageerror", (error) => complaints.push(`thrown: ${error.message}`));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(own) && !/^(data|blob|about):/.test(url)) complaints.push(`request to ${url}`);
    });
    page.on("console", (message) => {
      // The second are errors of the app itself, which it shows, or hides, as a page that crashed.
      if (/Content Security Policy|Trusted|There is no \w+ here/i.test(message.text()))
        complaints.push(`console: ${message.text()}`);
    });
  });
}

/** The account of `person`, made through the API, and its client. */
export async function createAccount(service: TestService): Promise<Client> {
  const created = await service.request("POST", "/api/auth/sign-up/email", {
    body: { ...person, setupToken: service.setupToken },
  });
  return connect(service, created);
}

/** A client with a session of its own, for a test whose clock has ended the one before. */
export async function signInAgain(service: TestService): Promise<Client> {
  const { email, password } = person;
  return connect(service, await service.request("POST", "/api/auth/sign-in/email", { body: { email, password } }));
}

async function connect(service: TestService, opened: Awaited<ReturnType<TestService["request"]>>): Promise<Client> {
  assert.equal(opened.status, 200, JSON.stringify(opened.body));
  const cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { body } = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  return createClient({ baseUrl: service.url, token: body.token });
}

/** Lets no answer to a GET of this address through, until the function that it gives is called. */
export async function holdReads(page: Page, url: string): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    if (route.request().method() === "GET") await promise;
    await route.fallback();
  };
  await intercept(page, url, hold);
  return async () => {
    resolve();
    await page.unroute(url, hold);
  };
}

/** A new sign-in password of six words that could be those of a key is refused at its field, and not sent. */
export async function assertWordsRefused(page: Page, field: Locator, action: string): Promise<void> {
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await field.fill("1. Abacus, abdomen abdominal 2. zoom zombie zookeeper");
  await page.getByRole("button", { name: action, exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "These are six words of the list" }).waitFor();
  await untilFocused(field);
  assert.deepEqual(sent, []);
}

/** Whether a reload, or closing the tab, asks first, because the page holds what would be lost. */
export function wouldAsk(page: Page): Promise<boolean> {
  return page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));
}

/** The focus is there, or comes: the app moves it in an effect, a moment after what it follows was drawn. */
export async function untilFocused(target: Locator): Promise<void> {
  await target.and(target.page().locator(":focus")).waitFor({ state: "attached" });
}

/** Whatever had the focus is gone or not: the next Tab does not begin at the top of the page. */
export async function untilFocusIsKept(page: Page): Promise<void> {
  await page.waitForFunction(() => document.activeElement?.isConnected && document.activeElement !== document.body);
}

/**
 * A finger hits what can be pressed: 44 pixels high where there is no finer pointer, and 24 at least (WCAG 2.2, target size).
 * A box has its label for that, a row of the inbox is a target as a whole, and links within sentences are as high as these.
 */
export async function assertTouchable(page: Page, what: string): Promise<void> {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, summary, a[href], [role^='menuitem']")].flatMap((target) => {
      const box = target.matches("[type=checkbox], [type=radio]") ? (target.closest("label") ?? target) : target;
      const { width, height } = box.getBoundingClientRect();
      const isHidden = !target.checkVisibility() || target.matches(".sr-only, [type=file]");
      const isInSentence =
        getComputedStyle(target).display === "inline" &&
        [...(target.parentElement?.childNodes ?? [])].some((node) => node.nodeType === Node.TEXT_NODE);
      const isCoarse = matchMedia("(pointer: coarse)").matches && !target.matches("[role=row] *, [role=switch]");
      const heightMin = isCoarse ? 44 : 24;
      return isHidden || isInSentence || (width >= 24 && height >= heightMin)
        ? []
        : [`${width}×${height} ${target.outerHTML}`];
    }),
  );
  assert.deepEqual(small, [], what);
}

/**
 * Where the system has all colours (`forced-colors`), each state that an attribute or a hidden box says is seen (WCAG 2.2, 1.4.11): the element, or
 * what it is in, looks otherwise without it.
 */
export async function assertStatesSeen(page: Page, what: string): Promise<void> {
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  const unseen = await page.evaluate(() => {
    const styles = ["backgroundColor", "color", "outlineStyle", "borderBottomColor", "translate"] as const;
    const look = (place: Element) =>
      [place, ...place.querySelectorAll("*")]
        .map((part) => getComputedStyle(part))
        .map((style) => styles.map((name) => style[name]).join())
        .join("\n");
    const others: Readonly<Record<string, string | null>> = {
      "aria-current": null,
      "aria-pressed": "false",
      "aria-checked": "false",
    };
    const isSeen = (place: Element, change: () => void, undo: () => void) => {
      const before = look(place);
      change();
      const after = look(place);
      undo();
      return before !== after;
    };
    const unseenStates = Object.entries(others).flatMap(([name, other]) =>
      // An item of a menu has a mark of its own, which its script draws.
      [...document.querySelectorAll(`[${name}]:not([${name}="false"], [role^="menuitem"])`)]
        .filter((target) => target.checkVisibility())
        .filter((target) => {
          const value = target.getAttribute(name) ?? "";
          return !isSeen(
            target.closest('[role="row"]') ?? target,
            () => (other === null ? target.removeAttribute(name) : target.setAttribute(name, other)),
            () => target.setAttribute(name, value),
          );
        }),
    );
    const unseenBoxes = [...document.querySelectorAll<HTMLInputElement>("input.sr-only:checked")].filter(
      (box) =>
        !isSeen(
          box.closest("label") ?? box,
          () => {
            box.checked = false;
          },
          () => {
            box.checked = true;
          },
        ),
    );
    return [...unseenStates, ...unseenBoxes].map(({ outerHTML }) => outerHTML.slice(0, 200));
  });
  await page.emulateMedia({ forcedColors: null });
  assert.deepEqual(unseen, [], `${what}, in the colours of the system`);
}

/** No violation of WCAG 2.2 A and AA, nor of axe's best practices; in the dark theme only the colours are another matter. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Every page has both; one that is not drawn yet has neither.
  await Promise.all(["main", "h1"].map((name) => page.locator(name).first().waitFor({ state: "attached" })));
  // Light last, as the page stays: drawing it in other colours costs time.
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const rules = colorScheme === "dark" && { runOnly: { type: "rule" as const, values: ["color-contrast"] } };
    const violations = await findViolations(page, { ...rules });
    const found = violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join(" | ")}`,
    );
    assert.deepEqual(found, [], `${what}, ${colorScheme}`);
  }
}
