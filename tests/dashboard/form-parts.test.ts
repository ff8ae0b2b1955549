import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { type Client, createKeyFile, type KeyPair } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  holdReads,
  startDashboard,
  submit,
  untilFocused,
  wouldAsk,
} from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("the parts of a form", () => {
  let dashboard: Dashboard;
  let client: Client;
  let pair: KeyPair;
  let formId: string;
  let page: Page;
  let receiver: Server;
  let receiverUrl: string;
  let answer = 204;

  before(async () => {
    const certificate = await createCertificate();
    receiver = createServer(certificate, (request, response) => {
      request.resume().on("end", () => {
        response.writeHead(answer).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "localhost", resolve));
    receiverUrl = `https://localhost:${(receiver.address() as AddressInfo).port}/hook`; // it listens on TCP
    dashboard = await startDashboard({
      environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128" },
      deliveries: { ca: certificate.cert },
    });
    client = await createAccount(dashboard.service);
    pair = takeKeyPair();
    const form = await client.forms.create({ name: "Contact", publicKey: pair.publicKey });
    formId = form.id;
    await submit(dashboard.service, form, { message: "sealed to version one" });
    page = await dashboard.signIn();
  });
  after(async () => {
    await dashboard.close();
    receiver.closeAllConnections();
    receiver.close();
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = (part: string) => page.goto(`/forms/${formId}/${part}`);
  const tab = (name: string) => page.getByRole("navigation", { name: "Parts" }).getByRole("link", { name });

  test("settings are changed together, and what is wrong is said at its field", async () => {
    await open("settings");
    await assertAccessible(page, "settings");
    const pages = page.getByLabel("Pages that may send");
    await page.getByLabel("Name").fill("   ");
    await pages.fill("https://www.example.org\nexample.net https://example.com/contact");
    await page.getByRole("switch", { name: "Strip personal data" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Not right: example.net, https://example.com/contact. Must be the beginning of").waitFor();
    assert.equal(await page.getByText("Invalid form settings").count(), 0);
    const field = page.getByLabel("Name");
    const described = (await field.getAttribute("aria-describedby"))?.split(" ").at(-1);
    assert.equal(await page.locator(`[id="${described}"]`).innerText(), "Must not be empty");
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    await untilFocused(page.getByLabel("Name"));
    await assertAccessible(page, "settings with errors");
    const taken = await client.forms.create({ name: "Taken", publicKey: pair.publicKey });
    await page.getByLabel("Name").fill("taken");
    await pages.fill("*");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("A form with this name already exists").waitFor();
    assert.equal(await page.getByLabel("Name").getAttribute("aria-invalid"), "true");
    await client.forms.delete(taken.id);
    assert.equal((await client.forms.get(formId)).settings.piiStrip, false);
    await pages.fill("https://www.example.org\nhttps://*.example.net");
    assert.equal(await page.getByLabel("Webhook address").count(), 0, "it is changed in one place");
    const link = page.getByRole("main").getByRole("link", { name: "Webhook", exact: true }).last();
    assert.equal(await link.getAttribute("href"), `/forms/${formId}/webhook`);
    await page.getByLabel("Name").fill("Contact us");
    await page.getByText("Not saved yet").waitFor();
    assert.equal(await wouldAsk(page), true, "a reload asks first");
    await tab("Keys").click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await assertAccessible(page, "leaving unsaved settings");
    await question.getByRole("button", { name: "Stay" }).click();
    assert.equal(await page.getByLabel("Name").inputValue(), "Contact us");
    await page.evaluate(() => window.scrollTo(0, 0));
    const isInSight = (element: Element) => element.getBoundingClientRect().bottom <= window.innerHeight;
    assert.ok(await page.getByRole("button", { name: "Save changes" }).evaluate(isInSight), "the button is in sight");
    // The session ends meanwhile: what was typed must not go with it.
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    await page.context().addCookies(cookies);
    await page.getByRole("button", { name: "Save changes" }).click();
    const saved = page.getByText("The settings are saved.");
    await saved.waitFor();
    assert.equal(await wouldAsk(page), false);
    assert.ok(await saved.evaluate((said) => said.getBoundingClientRect().top > 100), "it is said below the bar");
    await page.getByRole("heading", { name: "Contact us", level: 1 }).waitFor();
    const { name, settings } = await client.forms.get(formId);
    assert.equal(name, "Contact us");
    assert.partialDeepStrictEqual(settings, {
      encryption: true,
      piiStrip: true,
      webhookUrl: null,
      allowedOrigins: ["https://www.example.org", "https://*.example.net"],
    });
    // Somebody sets an address in another tab meanwhile: saving here what was changed here leaves it unchanged.
    await client.forms.update(formId, { settings: { webhookUrl: receiverUrl } });
    await page.getByRole("switch", { name: "Strip personal data" }).click();
    const answered = () => page.waitForResponse((response) => response.request().method() === "PATCH");
    for (const what of ["a change", "no change"]) {
      const answer = answered();
      await page.getByRole("button", { name: "Save changes" }).click();
      assert.equal((await answer).status(), 200, what);
    }
    const { webhookUrl, piiStrip } = (await client.forms.get(formId)).settings;
    assert.deepEqual([webhookUrl, piiStrip], [receiverUrl, false]);
  });

  test("an address copied from a browser, with its last slash, may send; a pasted document is named by its beginning", async () => {
    await open("settings");
    const pages = page.getByLabel("Pages that may send");
    const save = page.getByRole("button", { name: "Save changes" });
    await pages.fill(`https://www.example.org/, ${"x".repeat(10_000)}`);
    await save.click();
    await page.getByText(`Not right: ${"x".repeat(60)}…. Must be the beginning of`).waitFor();
    await pages.fill("https://www.example.org/,\n https://*.example.net/");
    await save.click();
    await page.getByText("The settings are saved.").waitFor();
    const { settings } = await client.forms.get(formId);
    assert.deepEqual(settings.allowedOrigins, ["https://www.example.org", "https://*.example.net"]);
  });

  test("a form's owner chooses the country and the types of personal data by keyboard, and choosing none is said there", async () => {
    await open("settings");
    const everyType = page.getByRole("switch", { name: "Every type of personal data" });
    assert.equal(await everyType.count(), 0);
    await page.getByRole("switch", { name: "Strip personal data" }).press("Space");
    await page.getByLabel("Country of telephone numbers").focus();
    await page.keyboard.type("Germ");
    await everyType.press("Space");
    await page.getByRole("checkbox", { name: "Names of people" }).press("Space");
    await page.getByRole("checkbox", { name: "Web addresses" }).press("Space");
    await assertAccessible(page, "settings with types of personal data");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The settings are saved.").waitFor();
    const { piiStrip, country, piiTypes } = (await client.forms.get(formId)).settings;
    assert.deepEqual([piiStrip, country, piiTypes?.length], [true, "DE", 19]);
    assert.ok(piiTypes?.includes("URL") && !piiTypes.includes("PERSON_NAME"));
    await page.reload();
    await everyType.waitFor();
    const chosen = page.getByRole("checkbox", { checked: true });
    for (let left = await chosen.count(); left > 0; left--) await chosen.first().uncheck();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Choose at least one type, or every type").waitFor();
    await everyType.click();
    await page.getByLabel("Country of telephone numbers").selectOption({ label: "Not set (as in the United States)" });
    await page.getByRole("switch", { name: "Strip personal data" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The settings are saved.").waitFor();
    const { settings } = await client.forms.get(formId);
    assert.partialDeepStrictEqual(settings, { piiStrip: false, country: null, piiTypes: null });
  });

  test("a webhook is set, tested with its outcome shown, and its deliveries can be looked into and sent again", async () => {
    await tab("Webhook").click();
    await page.getByLabel("Webhook address").fill("http://localhost/hook");
    await page.getByRole("button", { name: "Save address" }).click();
    await page.getByText("Must be a valid HTTPS URL").waitFor();
    await page.getByLabel("Webhook address").fill(receiverUrl);
    await page.getByRole("button", { name: "Save address" }).click();
    await page.getByText("The address is saved.").waitFor();
    const byRedirect = page.getByRole("switch", { name: "My receiver answers by redirect" });
    for (const redirects of ["get", "post"]) {
      await byRedirect.click();
      await byRedirect.and(page.locator(`[aria-checked=${redirects === "get"}]:enabled`)).waitFor();
      assert.equal((await client.forms.get(formId)).settings.webhookRedirects, redirects);
    }
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Delivered: the receiver answered 204").waitFor();
    answer = 410;
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Not delivered:").waitFor();
    answer = 204;
    const entry = page.getByRole("button", { name: /Failed.*submission.created.*HTTP 410/ });
    await entry.click();
    const details = page.getByRole("region", { name: "Details of this delivery" });
    await details.getByText("Attempt 1").waitFor();
    await details.getByText('"event":"submission.created"').waitFor();
    await assertAccessible(page, "webhook");
    const arrivedAgain = once(receiver, "request");
    await details.getByRole("button", { name: "Send again" }).click();
    await details.getByText("It is on its way again").waitFor();
    await page.getByLabel("Show", { exact: true }).selectOption("failed");
    await entry.waitFor();
    await arrivedAgain;
  });

  test("the signing secret is shown on request, and its rotation says until when the old one is valid", async () => {
    await open("webhook");
    assert.doesNotMatch(await page.innerText("main"), /whsec_/);
    await page.getByRole("button", { name: "Show secret" }).click();
    const { secret } = await client.webhooks.secret(formId);
    await page.getByText(secret).waitFor();
    await page.getByRole("button", { name: "Rotate secret" }).click();
    const dialog = page.getByRole("dialog", { name: "Rotate the signing secret?" });
    await dialog.getByText("valid for 24 hours").waitFor();
    await assertAccessible(page, "rotating the secret");
    await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
    await page.getByText("The previous secret is still valid until").waitFor();
    const rotated = await client.webhooks.secret(formId);
    assert.notEqual(rotated.secret, secret);
    await page.getByText(rotated.secret).waitFor();
  });

  test("statistics are readable by keyboard, and as a table", async () => {
    await tab("Statistics").click();
    const chart = page.getByRole("slider", { name: /Submissions a day/ });
    await chart.focus();
    await page.keyboard.press("End");
    await page.getByText(/: 1 submission$/).waitFor();
    assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /: 1 submission$/);
    await page.getByText("Show as a table").click();
    assert.equal(await page.getByRole("table").getByRole("row").count(), 31);
    await page.getByRole("radio", { name: "365 days" }).check({ force: true });
    await page.getByRole("slider", { name: /365 days/ }).waitFor();
    await assertAccessible(page, "statistics");
  });

  test("keys are rotated after the new one was proved; old submissions open with the old key", async () => {
    await tab("Keys").click();
    await page.getByText("Version 1", { exact: true }).waitFor();
    await assertAccessible(page, "keys");
    await page.getByRole("button", { name: "Make the new key" }).click();
    await untilFocused(page.getByRole("heading", { name: "Save the new key" }));
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download key file" }).click();
    const path = await (await download).path();
    const file = JSON.parse(readFileSync(path, "utf8"));
    assert.deepEqual([file.formId, file.keyVersion], [formId, 2]);
    // Nothing leads away from the only copy of a key without a question.
    assert.equal(await wouldAsk(page), true, "a reload asks first");
    const question = page.getByRole("dialog", { name: "Discard the new key?" });
    for (const leave of [
      () => page.getByRole("button", { name: "Discard the new key" }).click(),
      () => tab("Settings").click(),
      () => page.evaluate(() => window.history.back()),
    ]) {
      await leave();
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
    }
    const rotate = page.getByRole("button", { name: "Rotate to version 2" });
    assert.equal(await rotate.isDisabled(), true);
    await page.getByRole("heading", { name: "If your page names the fingerprint, change the snippet first" }).waitFor();
    const [{ fingerprint: old = "" } = {}] = await client.forms.keys(formId);
    const snippet = page.getByRole("region", { name: "Snippet with both fingerprints" });
    assert.ok(
      (await snippet.innerText()).includes(
        `"keyFingerprint":["${old}","${file.hybridFingerprint ?? file.fingerprint}"]`,
      ),
    );
    await page.setInputFiles("input[type=file]", path);
    await page.getByText("The test value was opened").waitFor();
    await assertAccessible(page, "rotating the keys");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await rotate.click();
    const over = page.getByRole("alert").filter({ hasText: "Your session has ended" }).last();
    await over.getByRole("link", { name: "Sign in" }).waitFor();
    await page.context().addCookies(cookies);
    // Somebody rotates in another tab, so the version that the saved file names is taken.
    await client.forms.rotateKeys(formId, { publicKey: takeKeyPair().publicKey });
    await rotate.click();
    await page.getByRole("alert").filter({ hasText: "The keys were rotated elsewhere" }).waitFor();
    await page.getByRole("button", { name: "Discard the new key" }).click();
    await question.getByRole("button", { name: "Discard it" }).click();
    await page.getByRole("button", { name: "Make the new key" }).click();
    await page.getByRole("button", { name: "Download key file" }).waitFor();
    const rotateAgain = page.getByRole("button", { name: "Rotate to version 3" });
    assert.equal(
      await rotateAgain.isDisabled(),
      true,
      "another key was not saved, whatever was done with the one before",
    );
    const anotherDownload = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download key file" }).click();
    await page.setInputFiles("input[type=file]", await (await anotherDownload).path());
    await page.getByText("The test value was opened").waitFor();
    // The server takes the key, but its answer is lost on the way.
    await intercept(page, "**/rotate-keys", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByLabel("Version 2 and older take submissions").selectOption("for 7 more days");
    await rotateAgain.click();
    const done = page.getByRole("status").filter({ hasText: "Version 3 is now current. Keep the older keys" });
    await done.getByText("A page that names the fingerprint").waitFor();
    await untilFocused(done);
    await page.unroute("**/rotate-keys");
    const listEnds = async () => (await client.forms.keys(formId)).map(({ closesAt }) => closesAt !== undefined);
    assert.deepEqual(await listEnds(), [false, true, true]);
    assert.equal(await page.getByText("Takes submissions until").count(), 2);
    await page.getByText("Older versions have an end: see the versions above.").waitFor();
    for (const [choice, shown, isEnded] of [
      ["no longer", "Saved: see the versions above.", true],
      ["without end", "Saved: all versions take submissions.", false],
    ] as const) {
      await page.getByLabel("Versions 1 to 2 take submissions").selectOption(choice);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(shown).waitFor();
      assert.deepEqual(await listEnds(), [false, isEnded, isEnded]);
      assert.equal(await page.getByText("Takes nothing more since").count(), isEnded ? 2 : 0);
    }

    const form = await client.forms.get(formId);
    await submit(dashboard.service, form, { message: "sealed to version three" }, 3);
    await tab("Submissions").click();
    await page.getByText("sealed to version three").waitFor();
    await page.getByText("No key for this version").waitFor();
    // The row that lacks a key leads to adding one, and so does the line above the list.
    await page.getByText("No key for this version").click();
    const detail = page.getByRole("region", { name: "Submission", exact: true });
    await detail.getByRole("button", { name: "Add a key" }).click();
    const dialog = page.getByRole("dialog", { name: "Unlock a version" });
    await dialog.waitFor();
    await assertAccessible(page, "adding a key");
    // The system's file picker is cancelled, and then the camera: neither closes the dialog around it.
    await dialog.locator("input[type=file]").dispatchEvent("cancel", { bubbles: true });
    await dialog.getByRole("button", { name: "Scan a recovery sheet" }).click();
    const scanning = page.getByRole("dialog", { name: "Scan a recovery sheet" });
    await scanning.waitFor();
    await page.keyboard.press("Escape");
    await scanning.waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Paste or type the key instead" }).click();
    await dialog.getByLabel("Private key").fill("01 half a line");
    await page.keyboard.press("Escape");
    const asking = page.getByRole("dialog", { name: "Leave what you typed?" });
    await asking.getByRole("button", { name: "Stay" }).click();
    assert.equal(await dialog.getByLabel("Private key").inputValue(), "01 half a line");
    await dialog.getByRole("button", { name: "Close" }).click();
    await asking.getByRole("button", { name: "Leave" }).click();
    await dialog.waitFor({ state: "detached" });
    await detail.waitFor();
    const banner = page.getByRole("status").filter({ hasText: "1 submission could not be opened" });
    await banner.getByRole("button", { name: "Add a key" }).click();
    const foreign = await createKeyFile({
      keyVersion: 9,
      createdAt: 1,
      privateKey: takeKeyPair().privateKey,
    });
    const oldFile = await createKeyFile({ formId, keyVersion: 1, createdAt: 1, privateKey: pair.privateKey });
    // A whole folder of keys, chosen at once.
    await page.setInputFiles(
      "dialog input[type=file]",
      [foreign, { no: "key" }, oldFile].map((content, index) => ({
        name: `${index}.json`,
        mimeType: "",
        buffer: Buffer.from(JSON.stringify(content)),
      })),
    );
    await dialog.waitFor({ state: "detached" });
    await detail.getByText("sealed to version one").waitFor();
    await detail.getByRole("button", { name: "Close" }).click();
    await page.getByText("sealed to version one").waitFor();
    await page.getByText("sealed to version three").waitFor();
  });

  test("deleting a form wants its name", async () => {
    await open("settings");
    await page.getByRole("button", { name: "Delete form" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this form" });
    await dialog.getByRole("textbox").fill("something else");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await dialog.getByText("That is not the form's name").waitFor();
    await assertAccessible(page, "deleting a form");
    // A page shows two spaces, or one that does not break, as one.
    await client.forms.update(formId, { name: "Contact  us\u00A0all" });
    await open("settings");
    await page.getByRole("button", { name: "Delete form" }).click();
    await dialog.getByRole("textbox").fill("Contact us all");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("heading", { name: "Create your first form" }).waitFor();
    await page.goto(`/forms/${formId}`);
    await page.getByRole("heading", { name: "There is no such form" }).waitFor();
  });

  test("a dialog that closes gives the focus back to the button that opened it", async () => {
    await page.goto("/api-keys");
    const opener = page.getByRole("button", { name: "New API key" });
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Name").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await untilFocused(opener);
  });

  test("saved days are confirmed where the last message was, and the focus stays on the button", async () => {
    const { id } = await client.forms.create({ name: "Days", publicKey: takeKeyPair().publicKey });
    await page.goto(`/forms/${id}/settings`);
    await page.getByRole("switch", { name: "Delete old submissions" }).click();
    for (const [label, days, saved] of [
      ["Days in the bin", "40", "What is deleted can be restored for 40 days."],
      ["Days to keep a submission", "50", "Submissions are deleted when they are 50 days old."],
    ] as const) {
      const section = page.locator("section", { has: page.getByLabel(label) });
      const region = await section.getByRole("status").elementHandle();
      await section.getByLabel(label).fill(days);
      const save = section.getByRole("button", { name: "Save" });
      await save.focus();
      await page.keyboard.press("Enter");
      const question = page.getByRole("dialog");
      if (label === "Days to keep a submission") {
        await question.getByRole("button", { name: "Save" }).click();
        await question.waitFor({ state: "detached" });
      }
      await section.getByText(saved).waitFor();
      assert.ok(
        await region?.evaluate((element) => element.isConnected),
        "a region that came with its text is not read",
      );
      await untilFocused(save);
    }
  });

  test("an API key is shown once, listed with its maker, and revoked", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
    await page.getByRole("button", { name: "New API key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("<b>Backup</b>");
    await assertAccessible(page, "a new API key");
    const letThrough = await holdReads(page, "**/api/**");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const value = await page.getByRole("region", { name: "API key" }).innerText();
    await letThrough();
    assert.match(value, /^sp_[0-9A-Za-z]{36}$/);
    // The second half of a double click, which now falls on the button that closes for good.
    const copied = page.getByRole("button", { name: "I have copied it" });
    await copied.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByText(value).waitFor();
    const question = page.getByRole("dialog", { name: "Close without the key?" });
    for (const leave of [() => page.keyboard.press("Escape"), () => page.evaluate(() => window.history.back())]) {
      await leave();
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      await page.getByText(value).waitFor();
    }
    await copied.click();
    await page.getByText("<b>Backup</b>").waitFor();
    await page.getByText(/^Never used · Created .+ by Ada Example$/).waitFor();
    assert.equal((await page.content()).includes(value), false);
    await assertAccessible(page, "API keys");
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
    assert.equal((await client.apiKeys.list()).total, 0);

    // Another one, for one form, which ends.
    const { id } = await client.forms.create({ name: "<i>Newsletter</i>", publicKey: takeKeyPair().publicKey });
    await page.reload(); // so that the form is listed
    await page.getByRole("button", { name: "New API key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Sync");
    await dialog.getByLabel("Only some forms").check();
    await dialog.getByLabel("Expires").selectOption("On a date");
    await dialog.getByLabel("Last day").fill("2020-01-01");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("alert").filter({ hasText: "Choose a day from today on" }).waitFor();
    await dialog.getByRole("alert").filter({ hasText: "at least one form" }).waitFor();
    await dialog.getByLabel("<i>Newsletter</i>").check();
    await dialog.getByLabel("Expires").selectOption("In 90 days");
    await assertAccessible(page, "limits of a new API key");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await copied.click();
    await page.getByText("<i>Newsletter</i>").waitFor();
    await page.getByText(/^Expires in (89|90) days, on /).waitFor();
    const [limited] = (await client.apiKeys.list()).keys;
    assert.deepEqual(limited?.forms, [id]);
    const { database } = dashboard.service;
    await database.updateTable("api_key").set({ expires_at: 1 }).where("name", "=", "Sync").execute();
    await page.reload();
    await page.getByText("Expired", { exact: true }).waitFor();
    await assertAccessible(page, "limits of API keys");
  });
});
