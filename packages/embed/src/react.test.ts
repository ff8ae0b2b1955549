import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { buildModule, moduleFolder } from "../build.ts";
import { untilState } from "../testing/browser.ts";
import { createKeyLog, createLogSigner } from "../testing/key-log.ts";
import type { ReactPageSettings } from "../testing/react-page.tsx";
import { startSiteAndService } from "../testing/site.ts";
import type { SealpostOptions } from "./react.tsx";

// A page of React's own, in its development build (which mounts twice in strict mode), with our module in its published form.

const { service, site } = await startSiteAndService();
await buildModule();
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("../testing/react-page.tsx", import.meta.url))],
  bundle: true,
  define: { "process.env.NODE_ENV": '"development"' },
  jsx: "automatic",
  write: false,
});
const script = outputFiles[0]?.text ?? "";

beforeEach(async () => {
  await site.reset();
  service.reset();
});

async function open(wishes: Partial<ReactPageSettings>): Promise<Page> {
  const settings: ReactPageSettings = { view: "hook", isStrict: false, formId: service.formId, options: {}, ...wishes };
  const options = { endpoint: service.url, ...settings.options };
  const html = `<div id="root"></div><script>window.settings = ${JSON.stringify({ ...settings, options })}</script><script src="/react-page.js"></script>`;
  const page = await site.open(html, {}, (opened) =>
    opened.route("**/react-page.js", (route) => route.fulfill({ contentType: "text/javascript", body: script })),
  );
  await page.locator("form").first().waitFor();
  return page;
}

const stateOf = async (page: Page) => JSON.parse((await page.locator("output").first().textContent()) ?? "");
const untilStatus = (page: Page, status: string) =>
  page.locator("output", { hasText: `"status":"${status}"` }).waitFor();

test("the form is sealed and sent, and the component shows what it likes instead", async () => {
  const page = await open({});
  assert.deepEqual(await stateOf(page), { status: "idle", fieldErrors: {} });
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  await page.click("text=Send");
  await untilStatus(page, "sending");
  gate.resolve();
  await page.locator("#one-thanks", { hasText: "Merci" }).waitFor();
  assert.deepEqual(await service.opened(), [{ mail: "one@example.com", topic: "react" }]);
  assert.deepEqual(await page.evaluate(() => reports), ["sent with react"]);
  await page.click("text=Another");
  await untilStatus(page, "idle");
  await page.fill("[name=mail]", "another@example.com");
  await page.click("text=Send");
  await page.locator("#one-thanks").waitFor();
  assert.equal(service.posts.length, 2);
});

test("a callback is that of the latest rendering, though the form was bound before it", async () => {
  const page = await open({ options: { resetOnSuccess: false } });
  await page.fill("[name=topic]", "hooks");
  await page.click("text=Send");
  await untilStatus(page, "sent");
  assert.deepEqual(await page.evaluate(() => reports), ["sent with hooks"]);
  const { message, submissionId, changed } = await stateOf(page);
  const { id } = JSON.parse(service.posts[0] ?? "");
  assert.deepEqual({ message, submissionId, changed }, { message: "Merci", submissionId: id, changed: false });
  assert.equal(await page.locator("[role=status], [role=alert]").count(), 0);
});

test("a refusal is a state with a message; reset empties the form and starts over", async () => {
  service.publicAnswer = () => ({ status: 404, body: {} });
  const page = await open({});
  await page.fill("[name=mail]", "typed@example.com");
  await page.click("text=Send");
  await untilStatus(page, "failed");
  const { code, message } = await stateOf(page);
  assert.deepEqual({ code, message }, { code: "not_found", message: "Not sent: this form no longer exists." });
  assert.equal(await page.inputValue("[name=mail]"), "typed@example.com");
  await page.click("text=Reset");
  await untilStatus(page, "idle");
  assert.equal(await page.inputValue("[name=mail]"), "one@example.com");
  service.publicAnswer = (body) => ({ body });
  await page.click("text=Send");
  await page.locator("#one-thanks").waitFor();
  assert.equal(service.posts.length, 1);
});

test("invalid fields have an error until they are changed", async () => {
  const page = await open({});
  await page.fill("[name=mail]", "no address");
  await page.click("text=Send");
  assert.notEqual((await stateOf(page)).fieldErrors.mail, undefined);
  await page.fill("[name=mail]", "a@example.com");
  assert.deepEqual((await stateOf(page)).fieldErrors, {});
  await page.setInputFiles("[name=cv]", { name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("me") });
  await page.click("text=Send");
  await untilStatus(page, "failed");
  const { code, message, fieldErrors } = await stateOf(page);
  assert.equal(code, "file");
  assert.deepEqual(fieldErrors, { cv: message });
  assert.deepEqual(service.posts, []);
});

test("what waits to be sent again is a failure that says when, and then it is sent", async () => {
  service.nextPosts.push({ kind: "lose" });
  const page = await open({});
  await page.click("text=Send");
  await untilStatus(page, "failed");
  assert.equal((await stateOf(page)).retryAfter, 2);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.locator("#one-thanks").waitFor();
  assert.equal(new Set(service.posts).size, 1);
});

test("once it is unmounted nothing is tried again, and what was under way has no effect on the page", async () => {
  service.nextPosts.push({ kind: "lose" });
  const waiting = await open({});
  await waiting.click("text=Send");
  await untilStatus(waiting, "failed");
  await waiting.click("text=Toggle");
  await waiting.evaluate(() => dispatchEvent(new Event("online")));

  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  const page = await open({ options: { redirect: "/elsewhere" } });
  const answered = page.waitForResponse((response) => response.url().endsWith("/submissions"));
  await page.click("text=Send");
  await service.posted(2);
  await page.click("text=Toggle");
  gate.resolve();
  await (await answered).finished();
  // A navigation would have begun before the promise of this evaluation is kept.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
  assert.deepEqual(site.strays, []);
  assert.deepEqual(await page.evaluate(() => reports), []);
  assert.equal(service.posts.length, 2);
  // Mounted again, it is a form like any other.
  await page.click("text=Toggle");
  await page.click("text=Send");
  await page.waitForURL(`${site.url}/elsewhere`);
});

test("strict mode, which mounts twice, binds once and sends once", async () => {
  for (const view of ["hook", "component"] as const) {
    service.reset();
    const page = await open({ view, isStrict: true, options: { resetOnSuccess: false } });
    await page.click("text=Send");
    await untilState(page, "sent");
    assert.equal(service.posts.length, 1, view);
    assert.equal(await page.locator("[role=status]").count(), view === "hook" ? 0 : 1);
  }
});

test("two forms of a page know nothing of each other", async () => {
  const page = await open({ view: "two" });
  await page.click("#two >> text=Send");
  await page.locator("#two-thanks").waitFor();
  assert.equal((await stateOf(page)).status, "idle");
  await page.click("#one >> text=Send");
  await page.locator("#one-thanks").waitFor();
  assert.deepEqual(
    (await service.opened()).map(({ mail }) => mail),
    ["two@example.com", "one@example.com"],
  );
});

test("the component shows messages by itself, takes what a form takes, and its children may submit", async () => {
  const page = await open({ view: "component" });
  assert.equal(await page.getAttribute("form", "class"), "contact");
  await page.click("text=Send too");
  assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.");
  assert.equal(await page.locator("output").textContent(), "sent");
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("an option that does not exist sends nothing: it may be the pin", async () => {
  const options: SealpostOptions & Record<string, unknown> = { keyFingerPrint: service.fingerprint };
  for (const view of ["hook", "component"] as const) {
    const page = await open({ view, options });
    await page.click("text=Send");
    await untilState(page, "error");
  }
  assert.deepEqual(service.posts, []);
});

test("rendered on a server the form sends nowhere, and needs no browser", async () => {
  const { SealpostForm } = await import(`${moduleFolder}react.js`);
  const [{ createElement }, { renderToString }] = await Promise.all([import("react"), import("react-dom/server")]);
  const html = renderToString(createElement(SealpostForm, { formId: service.formId, className: "c" }, "…"));
  assert.equal(html, '<form class="c" method="dialog">…</form>');
});

test("in a bundle that imports it, the option keyLog is checked as in the script of its own", async () => {
  const signer = await createLogSigner();
  const log = createKeyLog(service.formId, signer);
  const keyLog = await log.add({ version: 3, fingerprint: service.fingerprint, hybridFingerprint: null });
  service.keyLogAnswer = (from) => ({ body: log.page(from) });
  const page = await open({ options: { keyLog } });
  await page.click("text=Send");
  await page.locator("#one-thanks").waitFor();
  service.reset();
  const refused = await open({ options: { keyLog } });
  await refused.click("text=Send");
  await untilStatus(refused, "failed");
  assert.equal((await stateOf(refused)).code, "key_log_gone");
  assert.deepEqual(service.posts, []);
});
