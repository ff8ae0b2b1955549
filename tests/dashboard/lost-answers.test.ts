import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { loseAnswers } from "./lose-answers.ts";

describe("what was done though its answer was lost", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard, 125);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const unreachable = (page: Page) => page.getByRole("alert").filter({ hasText: "reach" }).first().waitFor();

  test("a press of Delete that is repeated says how many are in the bin by it, and Undo brings them back", async () => {
    const page = await contact.openInbox();
    const before = (await contact.client.forms.get(contact.form.id)).submissionCount;
    for (const name of ["Person 128", "Person 129"])
      await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check();
    const remove = async () => {
      await page.getByRole("button", { name: "Delete 2" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Move 2 to the bin" }).click();
    };
    const find = await loseAnswers(page);
    await remove();
    await unreachable(page);
    await find();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before - 2);
    await remove();
    await page.getByRole("status").filter({ hasText: "2 submissions moved to the bin" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("row").filter({ hasText: "Person 129" }).waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before);
    await page.context().close();
  });

  test("an API key that was created is in the list, and the error says what to do with it", async () => {
    const page = await dashboard.signIn("/api-keys");
    await page.getByRole("button", { name: "New API key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Backup");
    const find = await loseAnswers(page);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("alert").filter({ hasText: "revoke it there" }).waitFor();
    await find();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("listitem").filter({ hasText: "Backup" }).waitFor();
    await page.context().close();
  });

  test("a form's legal hold and the days of its bin are shown as the service has them", async () => {
    const page = await dashboard.signIn(`/forms/${contact.form.id}/settings`);
    const section = (name: string) =>
      page.locator("section", { has: page.getByRole("heading", { name, exact: true }) });
    await section("Legal hold").waitFor();
    const find = await loseAnswers(page);
    await section("Legal hold").getByRole("button").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().fill("Case 12");
    await dialog.getByRole("button").last().click();
    await unreachable(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await section("Legal hold").getByText("Case 12").waitFor();
    const bin = section("Bin");
    await bin.getByRole("textbox").fill("41");
    await bin.getByRole("button", { name: "Save" }).click();
    await bin.getByText("41 days").waitFor();
    await find();
    await page.context().close();
  });

  test("sealing that was turned off by a request whose answer was lost is on again once it is turned on and saved", async () => {
    const page = await dashboard.signIn(`/forms/${contact.form.id}/settings`);
    const other = await dashboard.signIn(`/forms/${contact.form.id}/settings`);
    const find = await loseAnswers(page);
    const sealing = (where: Page) => where.getByRole("switch", { name: "Seal submissions" });
    const save = page.getByRole("button", { name: "Save changes" });
    await sealing(page).click();
    await save.click();
    await unreachable(page);
    await find();
    const isSealed = async () => (await contact.client.forms.get(contact.form.id)).settings.encryption;
    assert.equal(await isSealed(), false);
    // Another tab, where nobody has touched it, shows what is saved.
    await other.bringToFront();
    await other.waitForFunction(
      () => {
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); // as when somebody comes back to it
        return document.querySelector("[role=switch]")?.ariaChecked === "false";
      },
      undefined,
      { polling: 500 },
    );
    await sealing(page).click();
    await page.getByText("Not saved yet").waitFor();
    await save.click();
    await page.getByText("The settings are saved.").waitFor();
    assert.equal(await isSealed(), true);
    for (const one of [page, other]) await one.context().close();
  });
});
