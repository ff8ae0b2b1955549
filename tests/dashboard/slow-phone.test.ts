import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { Locator, Page } from "playwright-core";
import { checkPage as check, phone, takePictures } from "../support/check-page.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { equip, openBrowserOf, type Person } from "../support/people.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, holdReads, startDashboard, submit, untilFocused } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

// Pages of a phone on a slow line: while answers are on their way, and after one was lost.

describe("a phone on a slow line", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;
  let bo: Person;

  before(async () => {
    dashboard = await startDashboard({
      environment: {
        SEALPOST_SIGNUP: "open",
        // Nothing listens there: no link of these tests is one that was mailed.
        SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off",
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
      },
    });
    contact = await createContactForm(dashboard);
    const account = await dashboard.service.signUp("bo@example.com", "Bo Example");
    await setVerified(true);
    bo = await equip(dashboard.service, account);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const setVerified = (isVerified: boolean) =>
    dashboard.service.database
      .updateTable("person")
      // The two databases have no word for true in common.
      .set({
        email_verified: isVerified ? sql<boolean>`(1 = 1)` : sql<boolean>`(1 = 0)`,
        verification: isVerified ? "trusted" : "needed",
      })
      .execute();

  test("a dialog opens at the field that has the focus, whatever is still loaded for it", async () => {
    const page = await dashboard.signIn("/account", { ...phone, isMobile: true });
    const letThrough = await holdReads(page, "**/api/forms?**");
    await page.goto("/members");
    await page.getByRole("heading", { name: "You are the only member" }).waitFor();
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Loading…", { exact: true }).waitFor();
    await untilFocused(dialog.getByLabel("Email address"));
    await letThrough();
    await dialog.getByRole("checkbox", { name: "Contact" }).waitFor();
    const scrolled = await dialog.evaluate((element) =>
      [...element.querySelectorAll("*")].map(({ scrollTop }) => scrollTop).filter((top) => top > 0),
    );
    assert.deepEqual(scrolled, []);
    await check(page, "a dialog that opens");
    await page.context().close();
  });

  test("the menu of the account is hit by a finger, item by item, and its button stays round", async () => {
    const page = await dashboard.signIn("/", { ...phone, hasTouch: true, isMobile: true });
    const menu = page.getByRole("button", { name: "Account menu" });
    const { width, height } = (await menu.boundingBox()) ?? assert.fail();
    assert.equal(width, height);
    await menu.tap();
    await page.getByRole("menuitem", { name: "Your key" }).waitFor();
    await check(page, "the menu of the account");
    await page.context().close();
  });

  test("the way back is in line with the way on, with a hint below it or without", async () => {
    const page = await dashboard.signIn("/forms/new", phone);
    await page.getByLabel("Name", { exact: true }).fill("In line");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Download key file" }).waitFor();
    await assertInLine(page, "Continue");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download key file" }).click();
    await download;
    await assertInLine(page, "Continue");
    await takePictures(page, "a step of a new form");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.setInputFiles("input[type=file]", await (await download).path());
    await intercept(page, "**/api/forms/reservations", () => {}); // never answered
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByRole("button", { name: "Create form", disabled: true }).waitFor();
    await assertInLine(page, "Create form");
    await page.context().close();
  });

  test("the choice about older keys begins with what is so", async () => {
    const { publicKey } = takeKeyPair();
    const { id } = await contact.client.forms.create({ name: "Rotated", publicKey });
    await contact.client.forms.rotateKeys(id, { publicKey: takeKeyPair().publicKey });
    const page = await dashboard.signIn(`/forms/${id}/keys`, phone);
    const choice = page.getByLabel("Version 1 takes submissions");
    await page.getByText("Now all versions take submissions, without end.").waitFor();
    assert.equal(await choice.locator("option:checked").textContent(), "without end");
    await contact.client.forms.closeKeys(id, { below: 2, at: 0 });
    await page.reload();
    await page.getByText("Older versions have an end: see the versions above.").waitFor();
    assert.equal(await choice.locator("option:checked").textContent(), "no longer");
    // Version 2 has no end.
    await contact.client.forms.rotateKeys(id, { publicKey: takeKeyPair().publicKey });
    await page.reload();
    await page.getByText("Some older versions have no end: see the versions above.").waitFor();
    await page.context().close();
  });

  test("somebody whose address was verified elsewhere gets no email, and reads of none", async () => {
    await setVerified(false);
    const before = await countEmails();
    const page = await openBrowserOf(bo, dashboard, phone);
    await page.goto("/");
    const banner = page.getByRole("region", { name: "Verify your email address" });
    await banner.waitFor();
    await setVerified(true);
    await banner.getByRole("button", { name: "Mail me a link" }).click();
    await banner.waitFor({ state: "detached" });
    assert.equal(await page.getByText("A mail is on its way").count(), 0);
    assert.equal(await countEmails(), before);
    await page.context().close();
  });

  // Notices about the forms of the tests before are queued at any time.
  const countEmails = async () =>
    (await dashboard.service.database.selectFrom("mail").select("id").where("kind", "=", "verify_email").execute())
      .length;

  test("a line of a recovery sheet that is wrong gets the focus, as any other field", async () => {
    await setVerified(true);
    const page = await openBrowserOf(bo, dashboard, phone);
    await page.goto("/account/key");
    const { lines } = bo.own.sheet;
    for (const [index, line] of lines.entries())
      await page.getByLabel(`Line ${index + 1}`).fill(index === 2 ? (lines[1] ?? "") : line);
    await page.keyboard.press("Enter");
    await untilFocused(page.getByLabel("Line 3"));
    await check(page, "a wrong line of a sheet");
    await page.context().close();
  });

  test("the page of a snippet shows the form to start from once, with the stylesheet", async () => {
    const page = await dashboard.signIn("/", phone);
    const letThrough = await holdReads(page, "**/embed/sealpost.css");
    await page.goto(`/forms/${contact.form.id}/embed`);
    await page.getByRole("heading", { name: "A form to start from" }).waitFor();
    const start = page.locator("pre", { hasText: "<form" });
    const snippet = page.locator("pre", { hasText: "Sealpost.init" });
    // It is below the form, and would move.
    await snippet.waitFor({ state: "attached" });
    assert.equal(await snippet.isVisible(), false);
    assert.equal(await start.count(), 0);
    await letThrough();
    await snippet.waitFor();
    assert.match((await start.first().textContent()) ?? "", /stylesheet/);
    await page.context().close();
  });

  test("an inbox that could not be reached says so until it can, and no longer", async () => {
    const page = await dashboard.signIn("/", phone);
    await page.clock.install();
    await page.goto(`/forms/${contact.form.id}`);
    await contact.unlock(page);
    await page.getByText("Opening").waitFor({ state: "detached" });
    const lists = /\/submissions(\?|$)/;
    await intercept(page, lists, (route) => route.abort());
    await submit(dashboard.service, contact.form, { name: "Somebody" });
    // The page asks now and then for what is new.
    await page.clock.fastForward(25_000);
    const failed = page.getByRole("alert").filter({ hasText: "The server could not be reached" });
    await failed.waitFor();
    await page.unroute(lists);
    await page.clock.fastForward(25_000);
    await failed.waitFor({ state: "detached" });
    await page.context().close();
  });
});

/** The first button's text begins at the height of that of the other. */
async function assertInLine(page: Page, next: string): Promise<void> {
  const top = async (target: Locator) => (await target.boundingBox())?.y;
  const [back, on] = await Promise.all(
    ["Back", next].map((name) => top(page.getByRole("button", { name, exact: true }))),
  );
  assert.equal(back, on);
}
