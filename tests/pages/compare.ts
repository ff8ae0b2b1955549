import assert from "node:assert/strict";
import type { Tab } from "../browsers/tab.ts";
import { fieldsOf, type Markup, markupOf, nativeForm, type PageCase, type PageParts } from "./page-case.ts";
import { type PageVisit, patienceMilliseconds } from "./visit.ts";

/**
 * Serves the page twice and does on both what a visitor does: without the embed the browser posts to the page's own server, with it
 * the form's owner opens what was stored.
 */
export async function compare(visit: PageVisit, page: PageCase, markup: Markup): Promise<void> {
  const native = await visitNative(visit, page);
  const { ending } = page;
  const { site, tab } = visit;
  const form = await visit.createForm();
  const attributes = markupOf(markup, form.id);
  await open(visit, page, { form: attributes, snippet: form.snippet, formId: form.id, serviceUrl: form.serviceUrl });
  await page.steps(tab);
  const isRefusal = await untilOver(visit, page).catch(async (error: Error) => {
    const [stored, plain] = [await form.opened(), site.received].map((list) => JSON.stringify(list));
    throw new Error(`${error.message}\nstored: ${stored}\nreceived in plain: ${plain}`);
  });
  const received = visit.receivedBeyond(page.ownRequests);
  if (ending.kind === "elsewhere") assert.deepEqual(received, native.received);
  else assert.deepEqual(received, [], "nothing reaches the page's own server in plain");
  const opened = await form.opened();
  const posted = fieldsOf(native.received.at(-1)?.entries ?? []);
  if (ending.kind === "sent" && !isRefusal) assert.deepEqual(opened.map(Object.entries), [posted]);
  else assert.deepEqual(opened, [], "nothing is stored");
  if (page.probe) assert.deepEqual(await tab.run(page.probe), native.probed);
  await page.afterwards?.(tab);
}

/** Resolves when the embed has done what it does, with whether it refused. */
async function untilOver(visit: PageVisit, { ending, isSent = isShownAsSent }: PageCase): Promise<boolean> {
  const { tab } = visit;
  let isRefusal = ending.kind === "refused";
  if (ending.kind === "elsewhere") await untilReceived(visit);
  else if (ending.kind === "nothing") await settle(visit);
  else if (ending.kind === "refused") await tab.until(isRefused);
  else if (ending.mayRefuse === undefined) await tab.until(isSent);
  else {
    // One question for both: two that wait would ask at the same time.
    const outcome = await tab.until(findOutcome, isSent.toString(), isRefused.toString());
    isRefusal = outcome === "refused";
  }
  await tab.until(isNotSending);
  return isRefusal;
}

async function visitNative(visit: PageVisit, page: PageCase) {
  await open(visit, page, { form: nativeForm, snippet: () => "", formId: "", serviceUrl: "" });
  await page.steps(visit.tab);
  const { ending } = page;
  if (ending.kind === "nothing") await settle(visit);
  else await untilReceived(visit);
  const probed = page.probe && (await visit.tab.run(page.probe));
  const received = visit.receivedBeyond(page.ownRequests);
  // The control: the browser does by itself what the table says.
  const wanted = ending.kind === "nothing" ? [] : [ending.kind === "elsewhere" ? ending.path : "/receive"];
  assert.deepEqual([...new Set(received.map(({ path }) => path))], wanted, "without the embed");
  return { received, probed };
}

type Served = Pick<PageParts, "form" | "snippet" | "formId" | "serviceUrl">;

async function open({ site, tab }: PageVisit, page: PageCase, served: Served): Promise<void> {
  const file = (path: string) => `${site.url}/lib/${path}`;
  const parts: PageParts = {
    ...served,
    add: (content) => site.add(content),
    siteUrl: site.url,
    file,
    script: (path) => `<script src="${file(path)}"></script>`,
  };
  const html = `<script>sessionStorage.clear()</script>${page.html(parts)}`;
  const url = site.add(html, { charset: page.charset, query: page.query?.(parts) });
  site.reset();
  await go(tab, url);
}

/** By the page itself: WebKit's driver waits for minutes where a page is just being left. */
async function go(tab: Tab, url: string): Promise<void> {
  await tab.run((address) => void setTimeout(() => location.assign(address)), url);
  await tab.until((address) => location.href === address && document.readyState === "complete", url);
}

/** Resolves when something has arrived, and the page that follows is there if the browser goes to it. */
async function untilReceived({ site, tab }: PageVisit): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing was received")), patienceMilliseconds);
  });
  await Promise.race([site.untilReceived(), patience]).finally(() => clearTimeout(timer));
  const last = site.received.at(-1);
  if (!last?.isNavigation) return;
  const address = last.method === "POST" ? "/after" : last.path + last.query;
  await tab.until((wanted) => location.href.endsWith(wanted) && document.readyState === "complete", address);
}

/**
 * Resolves when what was going to happen has happened: timers and frames have run, and requests that were made after everything
 * that the page was about to send have been answered, three times.
 */
async function settle({ tab }: PageVisit): Promise<void> {
  for (let round = 0; round < 3; round++)
    await tab
      .run(async () => {
        await new Promise((resolve) => setTimeout(resolve));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        await (await fetch("/settled")).text();
      })
      .catch(() => undefined); // the page is being left
}

// These run in the page.

function isShownAsSent() {
  if (location.pathname === "/after") return true;
  const said = [...document.querySelectorAll("[role=status], [role=alert]")]
    .map(({ textContent }) => textContent)
    .join("");
  return (
    document.querySelector("form[data-sealpost-state=sent]") !== null &&
    said.includes("Thank you, your answers were sent.")
  );
}

function isRefused() {
  const alerts = [...document.querySelectorAll("[role=alert]")].map(({ textContent }) => textContent?.trim());
  return document.querySelector("[data-sealpost-state=error]") !== null && alerts.some((text) => text);
}

function findOutcome(isSent: string, isRefused: string) {
  // biome-ignore lint/security/noGlobalEval: functions of this file, which come as text
  const holds = (work: string) => globalThis.eval(`(${work})()`);
  return holds(isSent) ? "sent" : holds(isRefused) ? "refused" : undefined;
}

function isNotSending() {
  return document.querySelector("[data-sealpost-state=sending]") === null;
}
