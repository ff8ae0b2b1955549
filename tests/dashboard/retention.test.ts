import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { purge } from "../../packages/server/src/retention/testing/purge.ts";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  signInAgain,
  startDashboard,
  submit,
  wouldAsk,
} from "./dashboard.ts";

const day = 86_400_000;

describe("how long a form keeps its submissions", () => {
  // Ten days in the past until the old ones are in; the browser's clock is the real one.
  const clock = createFakeClock(Date.now() - 10 * day);
  let dashboard: Dashboard;
  let client: Client;
  let formId: string;
  let page: Page;

  before(async () => {
    dashboard = await startDashboard({ clock });
    client = await createAccount(dashboard.service);
    const { publicKey } = takeKeyPair();
    const form = await client.forms.create({ name: "Contact", publicKey });
    formId = form.id;
    for (const message of ["old", "older"]) await submit(dashboard.service, form, { message });
    // Used once on the way: a session ends that nobody uses for a week.
    clock.advance(5 * day);
    await client.forms.list();
    clock.advance(Date.now() - clock.now());
    client = await signInAgain(dashboard.service); // nobody used the session for longer than a week
    await submit(dashboard.service, form, { message: "young" });
    page = await dashboard.signIn(`/forms/${formId}/settings`);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const section = () => page.locator("section", { has: page.getByRole("heading", { name: "Keep submissions" }) });
  const save = () => section().getByRole("button", { name: "Save" }).click();

  test("the owner is shown how many would go now, and nothing goes before that is confirmed", async () => {
    await section().getByText("Submissions are kept until somebody deletes them.").waitFor();
    await section().getByRole("switch", { name: "Delete old submissions" }).click();
    const days = section().getByLabel("Days to keep a submission");
    for (const wrong of ["0", "1e2", "0x10"]) {
      await days.fill(wrong);
      await save();
      await section().getByText("A whole number from 1 to 36,500").waitFor();
      await days.fill("");
    }
    await days.fill("7");
    await save();
    const dialog = page.getByRole("dialog", { name: "Delete old submissions?" });
    await dialog.getByText("2 submissions are older than 7 days and will be deleted now, for good.").waitFor();
    await assertAccessible(page, "retention, asking");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await client.forms.retention(formId), null);
    // In the bin they go too, and with the form.
    const listed = (await client.submissions.list(formId)).submissions;
    const [young = "", oldest = ""] = [listed.at(0)?.id, listed.at(-1)?.id];
    await client.submissions.moveToBin(formId, [young, oldest]);
    await save();
    await dialog.getByText("1 submission in the bin received more than 7 days ago will be deleted too").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await client.submissions.restore(formId, [young]);
    assert.equal(await wouldAsk(page), true, "what was not confirmed is not saved");
    await days.fill("90");
    await section().getByRole("switch", { name: "Delete old submissions" }).click();
    assert.equal(await wouldAsk(page), false);
    await page.reload();
    await page.getByText("2 submissions, and 1 more in the bin, are deleted at once").waitFor();
    await client.submissions.restoreAll(formId);
    await page.reload();
    await section().getByRole("switch", { name: "Delete old submissions" }).click();
    await days.fill("7");
    assert.equal((await client.submissions.list(formId)).total, 3);
    await save();
    await dialog.getByRole("button", { name: "Delete 2 submissions" }).click();
    await section().getByText("Submissions are deleted when they are 7 days old.").waitFor();
    assert.equal(await client.forms.retention(formId), 7);
    await purge(dashboard.service, clock);
    assert.equal((await client.submissions.list(formId)).total, 1);
    await assertAccessible(page, "retention, limited");
  });

  test("a limit under which nothing is old says so, and can be taken away again", async () => {
    await section().getByLabel("Days to keep a submission").fill("30");
    await save();
    const dialog = page.getByRole("dialog", { name: "Delete old submissions?" });
    await dialog.getByText("No submission is older than 30 days now.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await section().getByText("Submissions are deleted when they are 30 days old.").waitFor();
    await section().getByRole("switch", { name: "Delete old submissions" }).click();
    await save();
    await section().getByText("Submissions are kept until somebody deletes them.").waitFor();
    assert.equal(await client.forms.retention(formId), null);
  });

  test("an owner sets a legal hold by keyboard on a phone: every page of the form says so, deleting is refused with the reason, and lifting it asks first", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const hold = page.locator("section", { has: page.getByRole("heading", { name: "Legal hold", exact: true }) });
    await hold.getByRole("button", { name: "Set a legal hold" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Set a legal hold on “Contact”?" });
    await dialog.getByLabel("Reason").fill("Case 7");
    await dialog.getByLabel("Remind owners on").fill("2020-01-01");
    await page.keyboard.press("Enter");
    await dialog.getByText("Choose a day after today").waitFor();
    await dialog.getByLabel("Remind owners on").fill("2100-01-31");
    await assertAccessible(page, "setting a legal hold");
    await page.keyboard.press("Enter");
    await hold.getByText("set by Ada Example").waitFor();
    await hold.getByText("Reason: Case 7").waitFor();
    await hold.getByText("Owners are reminded on Jan 31, 2100.").waitFor();
    await page.getByText("This form is under a legal hold").waitFor();
    assert.equal(await page.getByRole("button", { name: "Delete form" }).count(), 0);
    await assertAccessible(page, "a legal hold");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    await assert.rejects(client.forms.delete(formId), { reason: "form_held" });
    assert.equal((await client.forms.list()).forms[0]?.held, true);
    await hold.getByRole("button", { name: "Lift the hold" }).click();
    await page
      .getByRole("dialog", { name: "Lift the legal hold?" })
      .getByRole("button", { name: "Lift the hold" })
      .click();
    await hold.getByRole("button", { name: "Set a legal hold" }).waitFor();
    assert.equal(await page.getByText("This form is under a legal hold").count(), 0);
  });

  test("an instance that sends no emails shows no switch for them, and says who can help with a lost password", async () => {
    assert.equal(await page.getByRole("switch", { name: "Mail me about this form" }).count(), 0);
    const other = await dashboard.open("/sign-in");
    assert.equal(await other.getByRole("link", { name: "Forgot your password?" }).count(), 0);
    await other.goto("/reset-password");
    await other.getByText("This instance sends no emails.").waitFor();
    await other.context().close();
  });
});
