/**
 * `node --conditions=@sealpost/source scripts/screenshots.ts`: pictures of every page of the dashboard, from the real
 * service on a temporary folder with made-up data, into docs/screenshots, or into the folder that is given as argument.
 */

import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createClient, createKeyFile, generateKeyPair } from "@sealpost/sdk";
import { createId, type Fields, type FormId, type PublicKey, seal } from "@sealpost/wire";
import type { BrowserContextOptions, Page } from "playwright-core";
import { parseConfig } from "../packages/server/src/config/config.ts";
import { startSmtpServer } from "../packages/server/src/mail/testing/smtp-server.ts";
import { startService } from "../packages/server/src/service.ts";
import { launchBrowser } from "../tests/support/chromium.ts";
import { createCertificate } from "./demo/certificate.ts";
import { createAnswers } from "./screenshots/answers.ts";
import { takePasswordReset } from "./screenshots/password-reset.ts";
import { takeSecondFactor } from "./screenshots/second-factor.ts";

const output = process.argv[2] ?? join(import.meta.dirname, "..", "docs", "screenshots");
const day = 86_400_000;
const person = { name: "Ada Brandt", email: "ada@example.com", password: "correct horse battery" };

const folder = mkdtempSync(join(tmpdir(), "sealpost-screenshots-"));
const certificate = await createCertificate();
/** The submission whose delivery the receiver never takes, so that it waits for its next try whenever the picture is taken. */
const refusedSubmission = createId("submission", Math.round(performance.timeOrigin));
const hook = new EventEmitter();
const receiver = createServer(certificate, async (request, response) => {
  const isRefused = (await text(request)).includes(refusedSubmission);
  response.writeHead(isRefused ? 503 : 204).end(() => hook.emit(isRefused ? "refused" : "taken"));
});
await new Promise<void>((resolve) => receiver.listen(0, "localhost", resolve));
const receiverPort = (receiver.address() as AddressInfo).port; // it listens on TCP

const closers: (() => unknown)[] = [];
const smtp = await startSmtpServer({ after: (close) => void closers.push(close) });

// Statistics count by the service's clock, so the clock walks through a month.
let now = performance.timeOrigin - 30 * day;
const service = await startService({
  config: parseConfig({
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_LOG_LEVEL: "silent",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128",
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  }),
  clock: { now: () => Math.round(now + performance.now()) },
  signInRate: 0,
  deliveries: { ca: certificate.cert },
});
const browser = await launchBrowser();
mkdirSync(output, { recursive: true });
try {
  await takeAll();
} finally {
  await browser.close();
  await service.stop();
  for (const close of closers) await close();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}

async function takeAll(): Promise<void> {
  const desktop = { viewport: { width: 1280, height: 800 }, baseURL: service.url } satisfies BrowserContextOptions;
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, baseURL: service.url };
  const first = await open(desktop, `/setup?token=${service.setupToken}`);
  await take(first, "set-up");
  await first.getByLabel("Your name").fill(person.name);
  await first.getByLabel("Email address").fill(person.email);
  await first.getByLabel("Password", { exact: true }).fill(person.password);
  await first.getByRole("button", { name: "Create account" }).click();
  await first.getByRole("heading", { name: "Create your first form" }).waitFor();
  await take(first, "forms-first-run");
  await takeWizard(first);
  const nowhere = await open(desktop, "/contact");
  await take(nowhere, "not-found");
  await nowhere.context().close();

  const { formId, keyFile } = await fill();
  const files = { name: "key.json", mimeType: "application/json", buffer: Buffer.from(keyFile) };
  for (const [suffix, options] of [
    ["", desktop],
    ["-dark", { ...desktop, colorScheme: "dark" }],
    ["-phone", phone],
  ] as const) {
    const page = await open(options, "/sign-in");
    await take(page, `sign-in${suffix}`);
    await signInOn(page);
    await page.getByText("Works council").waitFor();
    // As if the form had been looked at half a day ago: what came since is marked as new.
    await page.evaluate(([name, value]) => localStorage.setItem(name, value), [
      `sealpost-seen-${formId}`,
      String(Math.round(now) - day / 2),
    ] as const);
    await page.reload();
    await page.getByText("New", { exact: true }).waitFor();
    await take(page, `forms${suffix}`);
    await page.goto(`/forms/${formId}`);
    await page.getByText("These submissions are sealed").waitFor();
    await take(page, `locked${suffix}`);
    await page.setInputFiles("input[type=file]", files);
    await page.getByText("could not be opened").first().waitFor();
    await take(page, `submissions${suffix}`);
    await page.getByRole("row").nth(3).getByRole("button").click();
    await page.getByText("Show in the delivery log").waitFor();
    await take(page, `submission${suffix}`);
    if (suffix === "") {
      await page.emulateMedia({ media: "print" });
      await take(page, "submission-printed");
      await page.emulateMedia({ media: "screen" });
    }
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("row").nth(1).getByRole("button").click();
    await page.getByRole("button", { name: /HTTP 503/ }).click();
    await page.getByText("Attempt 1").waitFor();
    await page.getByRole("heading", { name: "Webhook deliveries" }).evaluate((heading) => heading.scrollIntoView());
    await take(page, `submission-deliveries${suffix}`);
    for (const part of ["bin", "embed", "statistics", "webhook", "keys", "settings"]) {
      await page.goto(`/forms/${formId}/${part}`);
      await page.getByRole("heading", { level: 2 }).or(page.getByRole("slider")).first().waitFor();
      await page.waitForLoadState("networkidle");
      if (part === "webhook") {
        await page
          .getByRole("button", { name: /HTTP 503/ })
          .first()
          .click();
        await page.getByText("Attempt 1").waitFor();
      }
      await take(page, `${part}${suffix}`, true);
    }
    await page.goto("/api-keys");
    await page.getByText("Nightly backup").waitFor();
    await take(page, `api-keys${suffix}`);
    await page.goto("/account");
    await page.getByText("This browser", { exact: true }).waitFor();
    const signIn = () => openSignedIn(options);
    await takeSecondFactor({ password: person.password, page, signIn, take }, suffix);
    await page.context().close();
    await takePasswordReset({ email: person.email, smtp, open: (path) => open(options, path), take }, suffix);
  }
  const insecure = await browser.newContext(desktop);
  const page = await insecure.newPage();
  await page.route("http://nas.test:8080/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    const response = await fetch(`${service.url}${pathname}`, { headers: { accept: "*/*" } });
    const contentType = response.headers.get("content-type") ?? "";
    await route.fulfill({ status: 200, contentType, body: Buffer.from(await response.arrayBuffer()) });
  });
  await page.goto("http://nas.test:8080/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await take(page, "insecure-address");
  await insecure.close();
}

async function signInOn(page: Page): Promise<void> {
  await page.getByLabel("Email address").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.keyboard.press("Enter");
}

async function openSignedIn(options: BrowserContextOptions): Promise<Page> {
  const page = await open(options, "/sign-in");
  await signInOn(page);
  return page;
}

async function takeWizard(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Create your first form" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Works council");
  await take(page, "new-form-1-name");
  await page.getByRole("button", { name: "Continue" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download key file" }).click();
  const path = await (await download).path();
  await take(page, "new-form-2-key", true);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Choose key file" }).waitFor();
  await take(page, "new-form-3-proof");
  await page.setInputFiles("input[type=file]", path);
  await page.getByRole("button", { name: "Create form" }).click();
  await page.getByText("Waiting for the first submission").waitFor();
  await take(page, "waiting");
  await page.context().close();
}

/** A month of a works council's questions, two more forms, a webhook with good and bad days, and two API keys. */
async function fill(): Promise<{ readonly formId: string; readonly keyFile: string }> {
  const signedIn = await fetch(`${service.url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(person),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const token = async () => {
    const issued = await fetch(`${service.url}/api/auth/token`, { headers: { cookie, origin: service.url } });
    return ((await issued.json()) as { token: string }).token; // contract, section 3.1
  };
  const client = createClient({ baseUrl: service.url, token });
  for (const form of (await client.forms.list()).forms) await client.forms.delete(form.id);
  const { publicKey, privateKey } = await generateKeyPair();
  const strange = await generateKeyPair();
  const newsletter = await client.forms.create({ name: "Newsletter", settings: { encryption: false } });
  const jobs = await client.forms.create({
    name: "Job applications",
    publicKey: strange.publicKey,
    settings: { piiStrip: true },
  });
  const webhookUrl = `https://localhost:${receiverPort}/sealpost`;
  const { id } = await client.forms.create({ name: "Works council", publicKey, settings: { webhookUrl } });
  for (let index = 0; index < 12; index++) await post(jobs.id, strange.publicKey, { name: "sealed" });
  for (let index = 0; index < 3; index++)
    await post(newsletter.id, newsletter.publicKey, { email: "reader@example.com" });
  const start = now;
  const binned: string[] = [];
  for (const [index, { daysAfter, fields }] of createAnswers().entries()) {
    now = start + daysAfter * day;
    // One that was sealed to another key, as every inbox has some day.
    const submissionId = createId("submission", Math.round(now));
    await post(id, index === 57 ? strange.publicKey : publicKey, fields, submissionId);
    if (index % 20 === 7) binned.push(submissionId);
  }
  await client.submissions.moveToBin(id, binned);
  now = performance.timeOrigin;
  // The newest: one that the receiver did not take, so that it waits for its next try.
  const refused = once(hook, "refused");
  const newest = {
    name: "Mei Chen",
    email: "mei@example.com",
    topics: ["pay"],
    message: "Is there a form for travel costs?",
  };
  await post(id, publicKey, newest, refusedSubmission);
  await refused;
  await client.webhooks.test(id);
  // A month after the sign-in the password is wanted again.
  await fetch(`${service.url}/api/auth/freshen-session`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie, origin: service.url },
    body: JSON.stringify({ password: person.password }),
  });
  await client.apiKeys.create({ name: "Nightly backup", permissions: ["forms:read", "submissions:read"] });
  await client.apiKeys.create({ name: "CRM import", permissions: ["submissions:read"] });
  const file = await createKeyFile({
    formId: id,
    formName: "Works council",
    keyVersion: 1,
    createdAt: start,
    privateKey,
  });
  return { formId: id, keyFile: JSON.stringify(file) };
}

async function post(
  id: string,
  publicKey: PublicKey,
  fields: Fields,
  submissionId = createId("submission", Math.round(now)),
): Promise<void> {
  const formId = id as FormId; // the service makes nothing else
  const payload = await seal(fields, { formId, keyVersion: 1, submissionId }, publicKey);
  const posted = await fetch(`${service.url}/api/forms/${formId}/submissions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: submissionId, keyVersion: 1, payload, timestamp: Math.round(now) }),
  });
  if (posted.status !== 201) throw new Error(`A submission was answered with ${posted.status}: ${await posted.text()}`);
}

async function open(options: BrowserContextOptions, path: string): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole("heading").first().waitFor();
  return page;
}

async function take(page: Page, name: string, fullPage = false): Promise<void> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur(); // a caret blinks
    window.scrollTo(0, 0);
  });
  await page.screenshot({ path: join(output, `${name}.png`), fullPage, animations: "disabled" });
}
