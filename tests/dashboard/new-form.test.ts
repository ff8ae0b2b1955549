import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import { Decrypter } from "age-encryption";
import type { Download, Page } from "playwright-core";
import { showToCamera } from "../support/browser-devices.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  startDashboard,
  submit,
  untilFocused,
  wouldAsk,
} from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("making a form", () => {
  let dashboard: Dashboard;
  let client: Client;
  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function startWizard(page: Page, name: string): Promise<void> {
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Download key file" }).waitFor();
  }

  async function downloadKey(page: Page): Promise<Download> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download key file" }).click();
    return download;
  }

  test("the form exists only after the saved key opened a test value, and the server never sees the private half", async () => {
    const page = await dashboard.signIn("/forms/new");
    const bodies: string[] = [];
    page.on("request", (request) => bodies.push(`${request.url()} ${request.postData() ?? ""}`));
    await startWizard(page, "Works council");
    const next = page.getByRole("button", { name: "Continue" });
    assert.equal(await next.isDisabled(), true, "nothing continues before the key was saved");
    await assertAccessible(page, "saving the key");
    const download = await downloadKey(page);
    assert.equal(download.suggestedFilename(), "sealpost-works-council-v1.key.json");
    const path = await download.path();
    await next.click();
    const create = page.getByRole("button", { name: "Create form" });
    assert.equal(await create.isDisabled(), true, "no form before the proof");
    await assertAccessible(page, "proving the key");
    await page.setInputFiles("input[type=file]", { name: "notes.json", mimeType: "", buffer: Buffer.from("{}") });
    await page.getByRole("alert").filter({ hasText: "This is not a key" }).waitFor();
    const cut = readFileSync(path).subarray(0, 900);
    await page.setInputFiles("input[type=file]", { name: "cut.key.json", mimeType: "", buffer: cut });
    await page.getByRole("alert").filter({ hasText: "a part of it is missing" }).waitFor();
    assert.equal((await client.forms.list()).total, 0);
    await page.setInputFiles("input[type=file]", path);
    await page.getByText("The test value was opened").waitFor();
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.equal(focused, "Create form", "the focus continues where the key was proved");
    await create.click();
    await page.getByText("Waiting for the first submission").waitFor();
    const starter = page.getByRole("region", { name: "A form to start from" });
    assert.match(await starter.innerText(), /data-sealpost-unavailable.*<button data-sealpost-submit disabled>/s);
    const link =
      /<link rel="stylesheet" href="http\S+\/embed\/sealpost-\S+\.css" integrity="sha384-\S+" crossorigin="anonymous">/;
    await starter.getByText(link).waitFor();
    for (const picture of await page.getByRole("img", { name: /on a (light|dark) device/ }).all()) {
      await picture.scrollIntoViewIfNeeded();
      await picture.evaluate((image) => (image as HTMLImageElement).decode());
    }
    await assertAccessible(page, "embed code");
    await page.getByRole("switch", { name: "With a stylesheet" }).click();
    assert.doesNotMatch(await starter.innerText(), /stylesheet|sealpost-form/);

    const { privateKey, hybridPrivateKey, hybridFingerprint } = JSON.parse(readFileSync(path, "utf8"));
    const [form] = (await client.forms.list()).forms;
    assert.ok(form);
    assert.deepEqual(form.publicKey, { kty: "RSA", n: privateKey.n, e: privateKey.e });
    assert.equal((await client.forms.keys(form.id))[0]?.hybridPublicKey?.pub, hybridPrivateKey.pub);
    const members = ["d", "p", "q", "dp", "dq", "qi"].map((member) => [member, privateKey[member]]);
    for (const [member, value] of [...members, ["priv", hybridPrivateKey.priv]])
      assert.equal(
        bodies.some((body) => body.includes(value)),
        false,
        `${member} was sent`,
      );
    for (const way of ["HTML", "Without an inline script", "React"]) {
      await page.getByRole("tab", { name: way, exact: true }).click();
      const shown = await page.getByRole("tabpanel").innerText();
      assert.match(shown, new RegExp(`keyFingerprint"?: ?"${hybridFingerprint}"`), way);
    }
    await page.getByRole("switch", { name: "Accept only your key" }).click();
    assert.doesNotMatch(await page.getByRole("tabpanel").innerText(), /keyFingerprint/);

    await submit(dashboard.service, form, { message: "the very first" });
    await page.getByText("The first submission is here").waitFor();
    await page.getByRole("link", { name: "Open submissions" }).click();
    await page.getByText("the very first").waitFor();
    await page.context().close();
  });

  test("saving the key moves nothing under the finger, and a file in clear is not shown as a protected one", async () => {
    const page = await dashboard.signIn("/forms/new", { viewport: { width: 390, height: 600 }, hasTouch: true });
    await startWizard(page, "With a telephone");
    const button = page.getByRole("button", { name: "Download key file" });
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await button.scrollIntoViewIfNeeded();
    const before = (await button.boundingBox()) ?? assert.fail();
    const saved = page.getByText("Saved as sealpost-with-a-telephone-v1.key.json");
    const box = page.getByRole("checkbox", { name: /^Protect the file/ });
    const download = page.waitForEvent("download");
    for (let half = 1; half <= 2; half++) await page.touchscreen.tap(before.x + 30, before.y + before.height / 2);
    await download;
    await saved.waitFor();
    assert.equal((await button.boundingBox())?.y, before.y);
    assert.equal(await box.isChecked(), false);
    await box.check();
    await page.getByText("is not protected. To protect it, download it again").waitFor();
    assert.equal(await saved.count(), 0);
    await box.uncheck();
    await saved.waitFor();
    await page.context().close();
  });

  test("a key file with a passphrase is an age file, and the right passphrase alone opens it", async () => {
    const page = await dashboard.signIn("/forms/new");
    await startWizard(page, "With a passphrase");
    await page.getByLabel("Protect the file with a passphrase").check();
    await page.getByText("The passphrase protects only the file").waitFor();
    await page.getByLabel("Passphrase", { exact: true }).fill("open sesame, please");
    await page.getByLabel("Passphrase once more").fill("open sesame, pleese");
    await page.getByRole("button", { name: "Download key file" }).click();
    await page.getByText("The two passphrases differ").waitFor();
    await page.getByLabel("Passphrase once more").fill("open sesame, please");
    // Without a connection, where the program that protects files does not arrive.
    const program = "**/assets/age-worker-*.js";
    await intercept(page, program, (route) => route.abort("internetdisconnected"));
    await page.getByRole("button", { name: "Download key file" }).click();
    const incomplete = page.getByRole("alert").filter({ hasText: "A part of this page could not be loaded" });
    await incomplete.filter({ hasText: "Check the connection, then try again" }).waitFor();
    await page.unroute(program);
    const download = await downloadKey(page);
    assert.equal(download.suggestedFilename(), "sealpost-with-a-passphrase-v1.key.json.age");
    const path = await download.path();
    const decrypter = new Decrypter();
    decrypter.addPassphrase("open sesame, please");
    assert.match(await decrypter.decrypt(readFileSync(path), "text"), /"sealpost": "private-key"/);

    await page.getByRole("button", { name: "Continue" }).click();
    await page.setInputFiles("input[type=file]", path);
    await page.getByLabel("Passphrase", { exact: true }).fill("not the passphrase");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("This passphrase does not open the file").waitFor();
    await page.getByLabel("Passphrase", { exact: true }).fill("open sesame, please");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("The test value was opened").waitFor();
    await page.context().close();
  });

  test("the printed sheet brings the key back on a phone: typed, with a mistake named by its line, by camera, and as a photo", async () => {
    const page = await dashboard.signIn("/forms/new", { viewport: { width: 390, height: 844 } });
    await startWizard(page, "On paper");
    await page.evaluate(() => {
      window.print = () => undefined; // the outside world
    });
    await page.getByRole("button", { name: "Print recovery sheet" }).click();
    await page.emulateMedia({ media: "print" });
    const code = page.getByRole("img", { name: "The key as a code to scan" });
    await code.waitFor();
    await assertAccessible(page, "recovery sheet");
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    const photo = await code.screenshot();
    const lines = (await page.getByTestId("paper-key").innerText()).split("\n");
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("button", { name: "Paste or type the key instead" }).click();
    await page.getByRole("button", { name: "Scan a recovery sheet" }).waitFor(); // who tires of typing
    const mistyped = lines.with(
      11,
      (lines[11] ?? "").replace(/.$/, (last) => (last === "7" ? "8" : "7")),
    );
    await page.getByLabel("Private key").fill(mistyped.join("\n"));
    // As high as a phone is above its keyboard: what is wrong is said where it was typed.
    await page.setViewportSize({ width: 390, height: 430 });
    await page.getByRole("button", { name: "Use this key" }).click();
    const mistake = page.getByRole("alert").filter({ hasText: "There is a mistake in line 12" });
    await mistake.waitFor();
    assert.equal(await page.getByLabel("Private key").getAttribute("aria-invalid"), "true");
    const isInSight = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight;
    };
    assert.ok(await mistake.evaluate(isInSight), "in sight");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByLabel("Private key").fill(lines.join("\n"));
    await page.getByRole("button", { name: "Use this key" }).click();
    const proved = page.getByText("The test value was opened");
    await proved.waitFor();

    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByText("Waiting for the first submission").waitFor();
    const [form] = (await client.forms.list()).forms;
    assert.ok(form?.name === "On paper" && form.keyProof === "proved");
    const edgeOf = (element: Element) => element.getBoundingClientRect().right;
    const picture = await page.getByRole("img", { name: /on a dark device/ }).evaluate(edgeOf);
    const edge = await page.getByRole("region", { name: "A form to start from" }).evaluate(edgeOf);
    assert.ok(picture <= edge + 1, "the pictures stay within the card");
    await submit(dashboard.service, form, { message: "read from paper" });
    // The camera sees the printed code, turned a little.
    await showToCamera(page, photo);
    await page.getByRole("link", { name: "Submissions" }).click();
    await page.getByText("read from paper").waitFor();
    await page.getByRole("button", { name: "Lock" }).click();
    await page.getByRole("button", { name: "Scan a recovery sheet" }).click();
    await page.getByText("read from paper").waitFor();
    await page.getByRole("button", { name: "Lock" }).click();
    await page.setInputFiles("input[type=file]", { name: "sheet.png", mimeType: "image/png", buffer: photo });
    await page.getByText("read from paper").waitFor();
    await page.context().close();
  });

  test("a form whose answer was lost is recognized at the next press: one form, with the key that was saved, and proved", async () => {
    const page = await dashboard.signIn("/forms/new");
    await startWizard(page, "Made once");
    const path = await (await downloadKey(page)).path();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.setInputFiles("input[type=file]", path);
    await page.getByText("The test value was opened").waitFor();
    // The request arrives, its answer does not; nor does what asks whether it has arrived.
    const forms = /\/api\/forms(\/form_\w+)?$/;
    await intercept(page, forms, async (route) => {
      if (route.request().method() === "POST") await route.fetch();
      await route.abort("connectionreset");
    });
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByRole("alert").filter({ hasText: "No answer came from the server" }).waitFor();
    await page.unroute(forms);
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByText("Waiting for the first submission").waitFor();
    const made = (await client.forms.list()).forms.filter(({ name }) => name === "Made once");
    const { privateKey } = JSON.parse(readFileSync(path, "utf8"));
    assert.deepEqual(
      made.map(({ publicKey, keyProof }) => [publicKey.n, keyProof]),
      [[privateKey.n, "proved"]],
    );
    await page.context().close();
  });

  test("a name that is taken is said so, and the key that was made stays", async () => {
    const page = await dashboard.signIn("/forms/new");
    await startWizard(page, "works COUNCIL");
    const path = await (await downloadKey(page)).path();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.setInputFiles("input[type=file]", path);
    // The session ends meanwhile: the key must not go with it.
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    await assertAccessible(page, "an ended session");
    await page.context().addCookies(cookies);
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByRole("alert").filter({ hasText: "A form with this name already exists" }).waitFor();
    await page.getByRole("button", { name: "Change the name" }).click();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "works COUNCIL");
    await page.context().close();
  });

  test("a name that nobody can see is asked for again, before a key is made", async () => {
    const page = await dashboard.signIn("/forms/new");
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("\u200B\u00A0\u202E");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The form needs a name").waitFor();
    await untilFocused(name);
    await name.fill("🙂");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Download key file" }).waitFor();
    await page.context().close();
  });

  test("leaving with a key that was not used asks first", async () => {
    const page = await dashboard.signIn("/forms/new");
    await startWizard(page, "Never made");
    await page.evaluate(() => {
      navigator.clipboard.writeText = async () => undefined; // the outside world
    });
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByText("A copied key is not saved yet").waitFor();
    const next = page.getByRole("button", { name: "Continue" });
    assert.equal(await next.isDisabled(), true, "the clipboard alone keeps no key");
    await assertAccessible(page, "a copied key");
    await page.getByRole("button", { name: "I have pasted it there" }).click();
    assert.equal(await next.isEnabled(), true);
    assert.equal(await wouldAsk(page), true, "a reload asks first");
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("dialog", { name: "Leave without creating the form?" }).waitFor();
    await assertAccessible(page, "the question before leaving");
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Download key file" }).waitFor();
    // Without a session there is nothing to stay for.
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You are signed out").waitFor();
    await page.context().close();
  });
});
