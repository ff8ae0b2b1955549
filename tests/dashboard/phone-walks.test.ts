import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { recipientFingerprint } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { BrowserContextOptions } from "playwright-core";
import { testPassword } from "../../packages/server/src/testing/test-service.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { makeAdaWithForm, makeSealedForm, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { submit } from "../support/submit.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

const finger = { ...phone, hasTouch: true, isMobile: true } satisfies BrowserContextOptions;

// Somebody with a phone, a slow line and no patience: what each tap shows at once, and what is left to say afterwards.
describe("walks on a phone", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard();
    ({ ada, form } = await makeAdaWithForm(dashboard.service));
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (path: string) => {
    const page = await openBrowserOf(ada, dashboard, finger);
    await page.goto(path);
    return page;
  };

  test("the key of the person that opens a form shows that its submissions can be opened, and the form no longer says that nobody has", async () => {
    const page = await open(`/forms/${form.id}`);
    const notice = page.getByText("Nobody has shown yet that these submissions can be opened");
    await notice.waitFor();
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("the oldest row").waitFor();
    await notice.waitFor({ state: "detached" });
    assert.equal((await ada.client.forms.get(form.id)).keyProof, "proved");
    await page.context().close();
  });

  test("an open key shows the fingerprint that others are asked to compare, and a locked one does not", async () => {
    const page = await open("/account/key");
    const fingerprint = page.getByText(await recipientFingerprint(ada.own.key), { exact: true });
    await button(page, "Unlock").waitFor();
    assert.equal(await fingerprint.count(), 0, "the server could show any key");
    await unlockWithSheet(page, ada.own.sheet);
    await fingerprint.waitFor();
    await check(page, "an open key with its fingerprint");
    await page.context().close();
  });

  test("a submission that is restored from the bin says that it is under way, and no other one does", async () => {
    const ids = await Promise.all(["1", "2"].map((name) => submit(dashboard.service, form, { name })));
    await ada.client.submissions.moveToBin(form.id, ids);
    const page = await open(`/forms/${form.id}/bin`);
    const { promise, resolve } = Promise.withResolvers<void>();
    await intercept(page, "**/submissions/bin/restore", async (route) => {
      await promise;
      await route.fallback();
    });
    const restore = button(page, /^Restore: /);
    await restore.first().tap();
    await restore.first().and(page.locator("[aria-disabled=true]")).waitFor();
    assert.equal(await restore.nth(1).getAttribute("aria-disabled"), null);
    resolve();
    await page.getByText("1 submission restored").waitFor();
    assert.equal(await restore.count(), 1);
    await page.context().close();
  });

  test("a list of which all is being deleted counts nothing before that is answered, and a list of forms nothing new after it", async () => {
    const { id } = await makeSealedForm(ada, "Emptied");
    const emptied = await ada.client.forms.get(id);
    const [key] = await ada.client.forms.keys(id);
    assert.ok(key);
    for (const name of ["1", "2", "3"])
      await submit(dashboard.service, { id: emptied.id, publicKey: key.publicKey }, { name });
    const page = await open("/");
    await page.evaluate((formId) => localStorage.setItem(`sealpost-seen-${formId}`, "1"), id);
    await page.goto(`/forms/${id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("3 submissions · 3 new").waitFor();
    for (const box of await page.locator("[data-submission]").getByRole("checkbox").all()) await box.check();
    const { promise, resolve } = Promise.withResolvers<void>();
    await intercept(page, "**/submissions/bin?*", async (route) => {
      if (route.request().method() === "POST") await promise;
      await route.fallback();
    });
    await button(page, "Delete 3").tap();
    await page.getByRole("dialog").getByRole("button", { name: "Move 3 to the bin" }).tap();
    await page.locator("[data-submission]").first().waitFor({ state: "detached" });
    await check(page, "a list that is being emptied");
    const toolbar = await page.getByRole("main").innerText();
    assert.doesNotMatch(toolbar, /0 submissions|\d new/);
    resolve();
    await page.locator("[data-empty]").first().waitFor();
    await page.evaluate((formId) => localStorage.setItem(`sealpost-seen-${formId}`, "1"), id);
    await page.goto("/");
    const row = page.getByRole("link", { name: /Emptied/ });
    await row.waitFor();
    assert.doesNotMatch(await row.innerText(), /new/i);
    await page.context().close();
  });

  test("signing out says that it is under way until the page is left", async () => {
    const account = await dashboard.service.signUp("leaver@example.com", "Lea Leaver");
    const page = await openBrowserOf({ account }, dashboard, finger);
    await page.goto("/");
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    await intercept(page, "**/api/auth/sign-out", async (route) => {
      await promise;
      await route.fallback();
    });
    await button(page, "Account menu").tap();
    const item = page.getByRole("menuitem", { name: "Sign out" });
    await item.tap();
    await item.and(page.locator("[aria-disabled=true]")).waitFor();
    resolve();
    await page.getByText("You are signed out.").waitFor();
    await page.context().close();
  });

  test("a menu shows to which organization it is switching", async () => {
    const page = await open("/");
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    await ada.account.request("POST", "/api/organizations", { name: "Second" });
    await page.reload();
    await button(page, "Account menu").tap();
    const { promise, resolve } = Promise.withResolvers<void>();
    await intercept(page, "**/switch", async (route) => {
      await promise;
      await route.fallback();
    });
    const item = page.getByRole("menuitemradio", { name: /^Ada Example|^Second/, checked: false });
    assert.equal(await item.locator("svg").count(), 0);
    await item.tap();
    await item.locator("svg").waitFor();
    resolve();
    await item.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("on a phone the link to the authenticator app of the device is hit by a finger", async () => {
    const account = await dashboard.service.signUp("factor@example.com", "Fay Factor");
    const page = await openBrowserOf({ account }, dashboard, finger);
    await page.goto("/account");
    await button(page, "Turn on").tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill(testPassword);
    await button(page, "Continue").tap();
    await button(page, "I have kept them").tap();
    await dialog.getByRole("link", { name: "Open the authenticator app of this device" }).waitFor();
    await check(page, "the secret of an authenticator app");
    await page.context().close();
  });
});
