import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { assertAccessible, type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("deleting, and the bin", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("several are asked for, many want their number typed; Undo, a reload and the bin bring them back", async () => {
    const before = (await contact.client.forms.get(contact.form.id)).submissionCount;
    const page = await contact.openInbox();
    await page.getByLabel("Search in opened submissions").fill("number 10");
    await page.getByText(`12 of ${before} submissions`).waitFor();
    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: "Delete 12" }).click();
    const question = page.getByRole("dialog", { name: "Move 12 submissions to the bin?" });
    await assertAccessible(page, "question before moving to the bin");
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete 12" }).click();
    await question.getByRole("button", { name: "Move 12 to the bin" }).click();
    await page.getByRole("status").filter({ hasText: "12 submissions moved to the bin" }).waitFor();
    assert.equal(
      (await contact.client.forms.get(contact.form.id)).submissionCount,
      before - 12,
      "it is done, whatever this page does",
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`12 of ${before} submissions`).waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before);

    // All of them: the number is typed, and the page says where they are instead of that nothing matches.
    await page.getByLabel("Search in opened submissions").fill("");
    await page.getByText(`${before} submissions`, { exact: true }).waitFor();
    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: `Delete ${before}` }).click();
    const all = page.getByRole("dialog", { name: `Move ${before} submissions to the bin?` });
    await all.getByLabel(`Type ${before} to confirm`).fill("12");
    await all.getByRole("button", { name: `Move ${before} to the bin` }).click();
    await all.getByText(`Type ${before}, the number of submissions`).waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before);
    await all.getByLabel(`Type ${before} to confirm`).fill(String(before));
    await all.getByRole("button", { name: `Move ${before} to the bin` }).click();
    await page.getByText(`${before} submissions are in the bin`).waitFor();
    assert.equal(await page.getByText("Nothing matches").count(), 0);
    await page.reload();
    await page.getByText(`${before} submissions are in the bin`).waitFor();
    await assertAccessible(page, "an inbox whose submissions are in the bin");

    // The key went with the reload: unlocked or not, the bin restores.
    await page.getByRole("link", { name: "Show the bin" }).click();
    await page.getByText(`${before} submissions in the bin`).waitFor();
    await page.getByText("30 days left").first().waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page
      .getByRole("button", { name: "Delete for good" })
      .nth(before - 1)
      .waitFor();
    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: `Restore ${before}` }).click();
    await page
      .getByRole("status")
      .filter({ hasText: `${before} submissions restored` })
      .waitFor();
    await page.getByText("The bin is empty").waitFor();
    await assertAccessible(page, "an empty bin");
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before);
    await page.context().close();
  });

  test("Undo says what it brought back and what it did not, and brings back nothing that was deleted elsewhere", async () => {
    const before = (await contact.client.forms.get(contact.form.id)).submissionCount;
    const page = await contact.openInbox();
    const ids = () =>
      page.locator("[data-submission]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-submission")));
    const undo = page.getByRole("button", { name: "Undo" });
    const select = (index: number) => page.getByRole("row").nth(index).getByRole("checkbox").check();
    await page.getByRole("row").nth(4).waitFor();
    for (let one = 0; one < 2; one++) {
      const moved = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/submissions/bin"));
      await select(1);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await moved;
      await page.getByText("1 submission moved to the bin").waitFor();
    }
    await undo.click();
    await page.getByText("1 submission restored. Another one was moved to the bin before").waitFor();
    await undo.click();
    await undo.waitFor({ state: "detached" });

    const [first, second] = await ids();
    await contact.client.submissions.moveToBin(contact.form.id, [first ?? ""]);
    await select(1);
    await select(2);
    await page.getByRole("button", { name: "Delete 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move 2 to the bin" }).click();
    await page.getByText("1 submission moved to the bin").waitFor();
    await undo.click();
    await undo.waitFor({ state: "detached" });
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before - 1);
    await page.locator(`[data-submission="${second}"]`).waitFor();
    assert.ok(!(await ids()).includes(first ?? ""));
    await contact.client.submissions.restore(contact.form.id, [first ?? ""]);
    await page.context().close();
  });

  test("after several were deleted, and after Undo, the focus continues in the list", async () => {
    const page = await contact.openInbox();
    await page.getByRole("row").nth(1).waitFor();
    // In a list of controls each has a name of its own, though all submissions came within a minute.
    for (const control of ["input", "button"] as const) {
      const names = await page
        .locator(`[data-submission] ${control}`)
        .evaluateAll((controls) => controls.map((one) => one.ariaLabel ?? one.textContent));
      assert.ok(names.length > 5);
      assert.equal(new Set(names).size, names.length, names.join("\n"));
    }
    const id = (index: number) => page.locator("[data-submission]").nth(index).getAttribute("data-submission");
    const [first, third] = [await id(0), await id(2)];
    for (const index of [1, 2]) await page.getByRole("row").nth(index).getByRole("checkbox").check();
    // The answer comes late: the focus has gone to what is around the pressed button, as that is gone.
    await intercept(page, /\/submissions\/bin(\?|$)/, async (route) => {
      await page.waitForFunction(() => document.activeElement?.matches("[tabindex='-1']:not(button)"));
      await route.continue();
    });
    await page.getByRole("button", { name: "Delete 2" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Move 2 to the bin" }).press("Enter");
    await page.getByText("2 submissions moved to the bin").waitFor();
    const focused = (expected: string | null) =>
      page.waitForFunction((row) => document.activeElement?.closest(`[data-submission="${row}"]`), expected);
    await focused(third);
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await focused(first);
    await page.context().close();
  });

  test("the bin shows what is in it, deletes for good only what was meant, and has the days that the settings say", async () => {
    const before = (await contact.client.forms.get(contact.form.id)).submissionCount;
    const page = await contact.openInbox();
    for (const number of [77, 78]) {
      await page.getByLabel("Search in opened submissions").fill(`number ${number}`);
      await page.getByText(`1 of ${before - number + 77} submissions`).waitFor();
      await page.getByRole("row").nth(1).getByRole("checkbox").check();
      // The message alone may be that of the one before.
      const moved = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/submissions/bin"));
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await moved;
      await page.getByText("1 submission moved to the bin").waitFor();
    }
    await page.getByRole("status").getByRole("link", { name: "Bin" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "Person 78" });
    await assertAccessible(page, "the bin");
    await row.getByRole("button", { name: "Delete for good" }).click();
    const question = page.getByRole("dialog", { name: "Delete 1 submission for good?" });
    await question.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("status").filter({ hasText: "1 submission deleted for good" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "Person 77" }).waitFor();
    assert.equal(await row.count(), 0);
    // The pressed button is gone with its row: the next Tab continues from the message, not from the top of the page.
    await page.waitForFunction(() => document.activeElement?.textContent === "1 submission deleted for good");

    await page.getByRole("link", { name: "Settings" }).click();
    const counted = Promise.withResolvers<void>();
    await intercept(page, /\/submissions\/bin\?/, async (route) => {
      await counted.promise;
      await route.continue();
    });
    await page.getByLabel("Days in the bin").fill("0");
    await page.locator("section", { hasText: "Days in the bin" }).getByRole("button", { name: "Save" }).click();
    const fewer = page.getByRole("dialog", { name: "Keep it for fewer days?" });
    // As long as nobody knows what would go, nothing is saved.
    await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).settings.binDays, 30);
    counted.resolve();
    await fewer.getByText("1 submission is in the bin").waitFor();
    await page.unroute(/\/submissions\/bin\?/);
    await fewer.getByRole("button", { name: "Save" }).click();
    await page.getByText("There is no bin: what is deleted is gone at once.").waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).settings.binDays, 0);

    // Without a bin one submission is asked for as well.
    await page.getByRole("link", { name: "Submissions" }).click();
    await page.getByRole("row").nth(1).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Delete 1 submission for good?" })
      .getByRole("button", { name: "Delete for good" })
      .click();
    await page.getByText("1 submission deleted for good").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before - 3);
    await contact.client.forms.update(contact.form.id, { settings: { binDays: 30 } });
    await page.context().close();
  });

  test("a page of the bin that is a moment old deletes nothing that somebody has restored or moved there since", async () => {
    const { client, form } = contact;
    const page = await contact.openInbox();
    const { submissions } = await client.submissions.list(form.id, { limit: 4 });
    const [first = "", second = "", third = "", fourth = ""] = submissions.map(({ id }) => id);
    await client.submissions.moveToBin(form.id, [first, second]);
    await page.goto(`${page.url().replace(/[?#].*$/, "")}/bin`);
    await page.getByText("2 submissions in the bin").waitFor();

    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: "Delete 2 for good" }).click();
    await client.submissions.restore(form.id, [first]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete 2 for good" }).click();
    const kept = "1 submission deleted for good. One was not in the bin any more: what was restored meanwhile is kept";
    await page.getByRole("status").filter({ hasText: kept }).waitFor();
    assert.equal((await client.submissions.get(form.id, first)).id, first);

    await client.submissions.moveToBin(form.id, [third]);
    await page.reload();
    await page.getByText("1 submission in the bin").waitFor();
    await page.getByRole("button", { name: "Empty the bin" }).click();
    // A colleague's list, whose Undo comes too late for one of two.
    const inbox = await contact.openInbox();
    const rowOf = (id: string) => inbox.locator(`[data-submission="${id}"]`);
    const fifth = (await client.submissions.list(form.id, { limit: 3 })).submissions.map(({ id }) => id).at(-1) ?? "";
    for (const id of [fourth, fifth]) await rowOf(id).getByRole("checkbox").check();
    await inbox.getByRole("button", { name: "Delete 2" }).click();
    await inbox.getByRole("dialog").getByRole("button", { name: "Move 2 to the bin" }).click();
    await inbox.getByText("2 submissions moved to the bin").waitFor();
    await client.submissions.delete(form.id, fifth);
    await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("status").filter({ hasText: "1 submission deleted for good" }).waitFor();
    await page.getByText("1 submission in the bin").waitFor();
    await inbox.getByRole("button", { name: "Undo" }).click();
    await inbox.getByText("1 submission was deleted for good meanwhile and can't be restored").waitFor();
    await rowOf(fourth).waitFor();
    assert.equal(await rowOf(fifth).count(), 0);
    await inbox.context().close();
    await page.context().close();
  });

  test("where the clock was days ahead when the newest was moved there, emptying the bin deletes only what the page has shown", async () => {
    const { client, form } = contact;
    const { database } = dashboard.service;
    const { submissions } = await client.submissions.list(form.id, { limit: 2 });
    const [early = "", late = ""] = submissions.map(({ id }) => id);
    const page = await contact.openInbox();
    await page.goto(`${page.url().replace(/[?#].*$/, "")}/bin`);
    const empty = page.getByRole("button", { name: "Empty the bin" });
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete for good" });
    if ((await client.submissions.listBin(form.id)).total > 0) {
      await empty.click();
      await confirm.click();
      await page.getByRole("status").filter({ hasText: "deleted for good" }).waitFor();
    }
    await client.submissions.moveToBin(form.id, [early]);
    const ahead = Date.now() + 3 * 86_400_000;
    await database.updateTable("submission_bin").set({ binned_at: ahead }).where("id", "=", early).execute();
    await database.updateTable("form_count").set({ newest_binned_at: ahead }).where("form_id", "=", form.id).execute();
    await page.reload();
    await page.getByText("1 submission in the bin").waitFor();
    await empty.click();
    await client.submissions.moveToBin(form.id, [late]);
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /for good/ })
      .click();
    await page.getByRole("status").filter({ hasText: "1 submission deleted for good" }).waitFor();
    assert.deepEqual(
      (await client.submissions.listBin(form.id)).submissions.map(({ id }) => id),
      [late],
    );
    await page.context().close();
  });
});
