import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, person, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
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

  const unanswered = (page: Page) => page.getByRole("alert").filter({ hasText: "No answer came" }).first().waitFor();

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
    await unanswered(page);
    await find();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before - 2);
    await remove();
    await page.getByRole("status").filter({ hasText: "2 submissions moved to the bin" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("row").filter({ hasText: "Person 129" }).waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before);
    await page.context().close();
  });

  test("Undo whose answer was lost says that it may be back, brings back the same by another press, and no row twice", async () => {
    const page = await contact.openInbox();
    const { submissionCount } = await contact.client.forms.get(contact.form.id);
    await page.getByRole("row").filter({ hasText: "Person 127" }).getByRole("checkbox").check();
    const remove = () => page.getByRole("button", { name: "Delete", exact: true }).click();
    let find = await loseAnswers(page);
    await remove();
    await page.getByRole("alert").filter({ hasText: "They may have been deleted nevertheless" }).waitFor();
    await find();
    await remove();
    await page.getByRole("status").filter({ hasText: "1 submission moved to the bin" }).waitFor();
    find = await loseAnswers(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("alert").filter({ hasText: "It may have been put back nevertheless" }).waitFor();
    await find();
    await page.getByRole("button", { name: "Look for new submissions" }).click();
    const row = page.getByRole("row").filter({ hasText: "Person 127" });
    await row.waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    assert.equal(await row.count(), 1);
    await page.getByText(`${submissionCount} submissions`, { exact: true }).waitFor();
    // In another tab: deleted here, restored there.
    await row.getByRole("checkbox").check();
    await remove();
    await page.getByRole("status").filter({ hasText: "1 submission moved to the bin" }).waitFor();
    for await (const { id } of contact.client.submissions.bin(contact.form.id))
      await contact.client.submissions.restore(contact.form.id, [id]);
    await page.getByRole("button", { name: "Look for new submissions" }).click();
    await row.waitFor();
    assert.equal(await row.count(), 1);
    await page.context().close();
  });

  test("what was deleted for good without an answer is not said to be kept, nor shown after Cancel", async () => {
    const { client, form } = contact;
    const { submissions } = await client.submissions.list(form.id, { limit: 2 });
    await client.submissions.moveToBin(
      form.id,
      submissions.map(({ id }) => id),
      { restorable: true },
    );
    const page = await dashboard.signIn(`/forms/${form.id}/bin`);
    await page.getByRole("button", { name: "Empty the bin" }).click();
    const dialog = page.getByRole("dialog");
    const find = await loseAnswers(page);
    const remove = () => dialog.getByRole("button", { name: "Delete 2 for good" }).click();
    await remove();
    await unanswered(page);
    await find();
    await remove();
    const said = page.getByRole("status").filter({ hasText: "2 submissions are not in the bin any more" });
    await said.filter({ hasText: "deleted for good at your first try" }).waitFor();
    await page.getByText("The bin is empty").waitFor();
    await page.context().close();
  });

  test("what was restored without an answer is not said to be nothing at the next press", async () => {
    const { client, form } = contact;
    const { submissions } = await client.submissions.list(form.id, { limit: 2 });
    const ids = submissions.map(({ id }) => id);
    await client.submissions.moveToBin(form.id, ids, { restorable: true });
    const page = await dashboard.signIn(`/forms/${form.id}/bin`);
    await page.getByLabel("Select all shown").check();
    const find = await loseAnswers(page);
    // The page can't look for itself either.
    await intercept(page, "**/submissions/bin?*", (route) => route.abort());
    await page.getByRole("button", { name: "Restore 2" }).click();
    await unanswered(page);
    await find();
    await page.unroute("**/submissions/bin?*");
    await page.getByRole("button", { name: "Restore 2" }).click();
    const said = page.getByRole("status").filter({ hasText: "2 submissions are not in the bin any more" });
    await said.filter({ hasText: "restored at your first try" }).waitFor();
    await page.context().close();
  });

  test("an API key whose value nobody has seen is named, and revoked by a press, also next to the key of another try", async () => {
    const page = await dashboard.signIn("/api-keys");
    await page.getByRole("button", { name: "New API key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Backup");
    const find = await loseAnswers(page);
    await dialog.getByRole("button", { name: "Create key" }).click();
    const lost = dialog.getByRole("status").filter({ hasText: "nobody has seen its value" });
    await lost.waitFor();
    await find();
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Copy the key now" }).waitFor();
    const listNames = async () => (await contact.client.apiKeys.list()).keys.map(({ name }) => name);
    assert.deepEqual(await listNames(), ["Backup", "Backup"]);
    await lost.getByRole("button", { name: "Revoke it" }).click();
    await lost.waitFor({ state: "detached" });
    assert.deepEqual(await listNames(), ["Backup"]);
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
    await unanswered(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await section("Legal hold").getByText("Case 12").waitFor();
    const bin = section("Bin");
    await bin.getByRole("textbox").fill("41");
    await bin.getByRole("button", { name: "Save" }).click();
    await bin.getByText("41 days").waitFor();
    await find();
    // A hold would keep the account, too, further below.
    await contact.client.forms.liftHold(contact.form.id);
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
    await unanswered(page);
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

  test("a webhook secret that may have been replaced is not shown on", async () => {
    const { client, form } = contact;
    await client.forms.update(form.id, { settings: { webhookUrl: "https://hooks.example.com/contact" } });
    const page = await dashboard.signIn(`/forms/${form.id}/webhook`);
    await page.getByRole("button", { name: "Show secret" }).click();
    const { secret } = await client.webhooks.secret(form.id);
    await page.getByText(secret).waitFor();
    await page.getByRole("button", { name: "Rotate secret" }).click();
    const dialog = page.getByRole("dialog");
    const find = await loseAnswers(page);
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await unanswered(page);
    await find();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText((await client.webhooks.secret(form.id)).secret).waitFor();
    assert.equal(await page.getByText(secret).count(), 0);
    await page.context().close();
  });

  test("a form that was handed over is not “not found” at the next press", async () => {
    const settings = { webhookUrl: "https://hooks.example.com/given" };
    const page = await dashboard.signIn(
      `/forms/${(await contact.client.forms.create({ name: "Given away", settings })).id}/settings`,
    );
    const made = await page.evaluate(async () => {
      const body = JSON.stringify({ name: "Workshop" });
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/organizations", { method: "POST", headers, body })).status;
    });
    assert.equal(made, 200);
    await page.reload();
    await page.getByRole("button", { name: "Hand over" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Hand over" }).click();
    await dialog.getByRole("alert").filter({ hasText: "Choose what becomes of the webhook" }).waitFor();
    await dialog.getByRole("group", { name: "What becomes of its webhook to hooks.example.com" }).waitFor();
    await dialog.getByLabel("Keep the address, with a new secret").check();
    const find = await loseAnswers(page);
    await dialog.getByRole("button", { name: "Hand over" }).click();
    await page.getByRole("heading", { name: "Forms", exact: true }).waitFor();
    await find();
    await page.getByRole("link", { name: "Contact" }).waitFor();
    assert.equal(await page.getByText("Given away").count(), 0);
    await page.context().close();
  });

  test("the deletion of an account leads to the page that says so", async () => {
    const page = await dashboard.signIn("/account");
    await page.getByRole("button", { name: "Delete account" }).click();
    await page.getByLabel(`Type ${person.email} to confirm`).fill(person.email);
    const find = await loseAnswers(page);
    await page.getByRole("button", { name: "Delete my account" }).click();
    await page.getByRole("status").filter({ hasText: "Your account will be deleted in 30 days" }).waitFor();
    await find();
    await page.context().close();
  });

  test("an account that is kept by a request whose answer was lost is not said to be leaving", async () => {
    const page = await dashboard.signInByPage();
    const keep = page.getByRole("button", { name: "Keep my account" });
    await keep.waitFor();
    const find = await loseAnswers(page);
    await keep.click();
    await keep.waitFor({ state: "detached" });
    await find();
    await page.context().close();
  });
});
