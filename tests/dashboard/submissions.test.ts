import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { type Client, createKeyFile, type KeyPair } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  assertAccessible,
  assertTouchable,
  createAccount,
  type Dashboard,
  person,
  startDashboard,
  submit,
} from "./dashboard.ts";

/** Text that strangers may send. Nothing of it may become markup, a request, a formula, or turn round its neighbours. */
const hostile = {
  "<img src=x onerror=alert(1)>": "<script>alert(1)</script>",
  "=1+1": '=HYPERLINK("https://evil.example","x")',
  __proto__x: "javascript:alert(1)",
  constructor: "{{constructor.constructor('alert(1)')()}}",
  rtl: "user\u202Egnp.exe",
  long: "word ".repeat(120_000),
};

describe("reading submissions", () => {
  let dashboard: Dashboard;
  let client: Client;
  let pair: KeyPair;
  let keyFile: Buffer;
  let formId: string;

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
    pair = takeKeyPair();
    const form = await client.forms.create({ name: "Contact", publicKey: pair.publicKey });
    formId = form.id;
    const file = await createKeyFile({
      formId,
      formName: "Contact",
      keyVersion: 1,
      createdAt: 1,
      privateKey: pair.privateKey,
    });
    keyFile = Buffer.from(JSON.stringify(file));
    for (let index = 0; index < 130; index++)
      await submit(dashboard.service, form, {
        name: `Person ${index}`,
        topics: ["pay", "hours"],
        message: `Question number ${index}`,
      });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function unlock(page: Page): Promise<void> {
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer: keyFile });
    await page.getByRole("table").waitFor();
  }

  async function openInbox(): Promise<Page> {
    const page = await dashboard.signIn();
    await page.goto(`/forms/${formId}`);
    await page.getByText("These submissions are sealed").waitFor();
    await unlock(page);
    await page.getByText("Opening").waitFor({ state: "detached" });
    return page;
  }

  function listRememberedKeys(page: Page) {
    return page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("sealpost");
        request.onsuccess = () => resolve(request.result);
      });
      const keys = await new Promise<{ cryptoKey: CryptoKey }[]>((resolve) => {
        const request = database.transaction("keys").objectStore("keys").getAll();
        request.onsuccess = () => resolve(request.result);
      });
      database.close();
      return keys.map(({ cryptoKey: { extractable, usages } }) => ({ extractable, usages }));
    });
  }

  test("a locked form shows how many there are, and refuses keys that don't belong to it by name", async () => {
    const page = await dashboard.signIn();
    await page.goto(`/forms/${formId}`);
    await page.getByText("130 submissions are here").waitFor();
    await assertAccessible(page, "locked form");
    const other = takeKeyPair();
    const file = await createKeyFile({
      formId: "form_other",
      formName: "Other form",
      keyVersion: 1,
      createdAt: 1,
      privateKey: other.privateKey,
    });
    await page.setInputFiles("input[type=file]", {
      name: "k.json",
      mimeType: "",
      buffer: Buffer.from(JSON.stringify(file)),
    });
    await page.getByRole("alert").filter({ hasText: "This key belongs to the form “Other form”" }).waitFor();
    await page.getByRole("button", { name: "Paste or type the key instead" }).click();
    const pasted = page.getByLabel("Private key");
    assert.ok(await pasted.evaluate((field) => field === document.activeElement), "pasting begins at once");
    await pasted.fill('{"name": "some package"}');
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByRole("alert").filter({ hasText: "This is not a key" }).waitFor();
    await page.getByLabel("Private key").fill(JSON.stringify(other.publicKey));
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByRole("alert").filter({ hasText: "This is a public key" }).waitFor();
    // As it may be typed from the sheet: with line breaks anywhere.
    await page.getByLabel("Private key").fill(JSON.stringify(pair.privateKey).replace(/(.{64})/g, "$1\n"));
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByText("Question number 129").waitFor();
    assert.equal(
      await page.evaluate(() => document.activeElement?.id),
      "content",
      "the focus continues with the inbox",
    );
    await page.context().close();
  });

  test("all submissions are opened here, found by their content, sorted, and read one by one by keyboard", async () => {
    const page = await openInbox();
    await page.getByText("130 submissions", { exact: true }).waitFor();
    await assertAccessible(page, "inbox");
    await page.getByLabel("Search in opened submissions").fill("number 12");
    await page.getByText("12 of 130 submissions").waitFor();
    await page.getByRole("button", { name: "Name", exact: true }).click();
    await page.getByRole("row").nth(1).getByText("Person 12", { exact: true }).waitFor();
    const first = page.getByRole("row").nth(1).getByRole("button");
    await first.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const detail = page.getByRole("region", { name: "Submission" });
    await detail.getByText("Question number 112").waitFor();
    await detail
      .getByText(/:\d\d:\d\d [AP]M (UTC|GMT|[A-Z]{2,4}T)/)
      .first()
      .waitFor(); // to the second, with its zone
    await assertAccessible(page, "detail");
    await detail.getByRole("button", { name: "Newer" }).click();
    await detail.getByText("Question number 12", { exact: true }).waitFor();
    // Only this one is printed, and nothing of the others or of the page around it.
    await page.emulateMedia({ media: "print" });
    const printed = page.getByRole("article");
    await printed.getByText("Question number 12", { exact: true }).waitFor();
    assert.equal(
      (await page.locator("body").innerText()).replace(/Received .*\n/, "").replace(/sub_\w+/, "sub_…"),
      "Contact\n\nsub_…\n\nname\nPerson 12\ntopics\npay, hours\nmessage\nQuestion number 12",
    );
    await page.emulateMedia({ media: "screen" });
    await printed.waitFor({ state: "hidden" });
    // Escape closes it wherever the focus is, and the focus continues at the row that was open.
    const row = page.getByRole("row", { name: "Person 12 pay, hours Question number 12" }).getByRole("button");
    await row.focus();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await detail.getByRole("button", { name: "Close" }).press("Escape");
    await detail.waitFor({ state: "detached" });
    assert.ok(await row.evaluate((button) => button === document.activeElement), "back at the row");
    // A phone that is turned shows rows of another height: none may lie on another.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("columnheader", { name: "message" }).waitFor({ state: "detached" });
    const boxes = await page.getByRole("row").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()));
    for (const [index, box] of boxes.slice(2).entries()) assert.equal(box.top, boxes[index + 1]?.bottom);
    await page.context().close();
  });

  test("a remembered key opens the form again after a reload, cannot be read out, and is forgotten by locking and by signing out", async () => {
    const page = await dashboard.signInByPage();
    await page.goto(`/forms/${formId}`);
    await page.getByLabel("Remember on this device").check();
    await unlock(page);
    await page.reload();
    await page.getByText("Question number 129").waitFor();
    assert.deepEqual(await listRememberedKeys(page), [{ extractable: false, usages: ["decrypt"] }]);
    const plain = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.doesNotMatch(plain, /Question|privateKey|"d":/);
    await page.getByRole("button", { name: "Lock" }).click();
    await page.getByText("These submissions are sealed").waitFor();
    await page.reload();
    await page.getByText("These submissions are sealed").waitFor();
    await page.getByLabel("Remember on this device").check();
    await unlock(page);

    // A browser that suddenly keeps nothing says so when it is asked to, and locks and signs out all the same.
    await page.evaluate(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("No storage here", "InvalidStateError");
      };
    });
    await page.getByRole("button", { name: "Lock" }).click();
    const remember = page.getByLabel("Remember on this device");
    await remember.check();
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer: keyFile });
    await page.getByRole("alert").filter({ hasText: "This browser remembers nothing here" }).waitFor();
    await remember.uncheck();
    await unlock(page);
    const signedOut = page.waitForResponse((response) => response.url().endsWith("/api/auth/sign-out"));
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    assert.equal(await (await signedOut).headerValue("clear-site-data"), '"cache", "storage"');
    await page.getByText("You are signed out").waitFor();
    assert.deepEqual(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)), []);
    await page.context().close();
  });

  test("a form that says it is locked stays locked in every tab, even if the page ends before the browser deleted the key", async () => {
    const page = await dashboard.signIn();
    await page.goto(`/forms/${formId}`);
    await page.getByLabel("Remember on this device").check();
    await unlock(page);
    const other = await page.context().newPage();
    // A browser that never comes to deleting.
    await page.evaluate(() => {
      IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
    });
    await page.getByRole("button", { name: "Lock" }).click();
    await page.getByText("These submissions are sealed").waitFor();
    for (const tab of [other, page]) {
      await tab.goto(`/forms/${formId}`);
      // The page that comes next does the deleting, before it looks for keys.
      await tab.waitForFunction(() => !Object.keys(localStorage).some((name) => name.includes("forgetting")));
      assert.deepEqual(await listRememberedKeys(tab), []);
      await tab.getByText("These submissions are sealed").waitFor();
    }
    await page.context().close();
  });

  test("what is exported is what is shown: a formula stays a text, and what could not be opened is named", async () => {
    const form = await client.forms.get(formId);
    const strange = takeKeyPair();
    const lost = await submit(
      dashboard.service,
      { id: formId, publicKey: strange.publicKey },
      { message: "to another key" },
    );
    const formula = await submit(dashboard.service, form, hostile);
    const page = await openInbox();
    await page.getByText("1 submission could not be opened").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText("1 row of these could not be opened").waitFor();
    await assertAccessible(page, "export");
    const downloads: string[] = [];
    for (const format of ["CSV", "JSON"]) {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: format, exact: true }).click();
      downloads.push(readFileSync(await (await download).path(), "utf8"));
    }
    const [csv = "", json = ""] = downloads;
    assert.ok(csv.startsWith('\uFEFF"_id","_receivedAt","_keyVersion","_status",'));
    assert.ok(csv.includes('"\'=HYPERLINK(""https://evil.example"",""x"")"'));
    assert.ok(csv.includes('"\'=1+1"'), "field names are cells as well");
    const rows: { id: string; status: string; fields?: object }[] = JSON.parse(json);
    assert.equal(rows.length, 132);
    assert.deepEqual(rows.find(({ id }) => id === formula)?.fields, hostile);
    assert.equal(rows.find(({ id }) => id === lost)?.status, "could_not_be_opened");
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByLabel("Search in opened submissions").fill("alert(1)");
    await page.getByRole("row").nth(1).getByRole("button").click();
    const detail = page.getByRole("region", { name: "Submission" });
    await detail.getByText("<script>alert(1)</script>").waitFor();
    await detail.getByText("<img src=x onerror=alert(1)>").waitFor();
    await detail.getByRole("button", { name: "Show all 600,000 characters" }).waitFor();
    await page.context().close();
  });

  test("several are asked for, many want their number typed; Undo, a reload and the bin bring them back", async () => {
    const before = (await client.forms.get(formId)).submissionCount;
    const page = await openInbox();
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
    assert.equal((await client.forms.get(formId)).submissionCount, before - 12, "it is done, whatever this page does");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`12 of ${before} submissions`).waitFor();
    assert.equal((await client.forms.get(formId)).submissionCount, before);

    // All of them: the number is typed, and the page says where they are instead of that nothing matches.
    await page.getByLabel("Search in opened submissions").fill("");
    await page.getByText(`${before} submissions`, { exact: true }).waitFor();
    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: `Delete ${before}` }).click();
    const all = page.getByRole("dialog", { name: `Move ${before} submissions to the bin?` });
    await all.getByLabel(`Type ${before} to confirm`).fill("12");
    await all.getByRole("button", { name: `Move ${before} to the bin` }).click();
    await all.getByText(`Type ${before}, the number of submissions`).waitFor();
    assert.equal((await client.forms.get(formId)).submissionCount, before);
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
    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: `Restore ${before}` }).click();
    await page
      .getByRole("status")
      .filter({ hasText: `${before} submissions restored` })
      .waitFor();
    await page.getByText("The bin is empty").waitFor();
    await assertAccessible(page, "an empty bin");
    assert.equal((await client.forms.get(formId)).submissionCount, before);
    await page.context().close();
  });

  test("after several were deleted, and after Undo, the focus continues in the list", async () => {
    const page = await openInbox();
    await page.getByRole("row").nth(1).waitFor();
    const id = (index: number) => page.locator("[data-submission]").nth(index).getAttribute("data-submission");
    const [first, third] = [await id(0), await id(2)];
    for (const index of [1, 2]) await page.getByRole("row").nth(index).getByRole("checkbox").check();
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
    const before = (await client.forms.get(formId)).submissionCount;
    const page = await openInbox();
    for (const number of [77, 78]) {
      await page.getByLabel("Search in opened submissions").fill(`number ${number}`);
      await page.getByText(`1 of ${before - number + 77} submissions`).waitFor();
      await page.getByRole("row").nth(1).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
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
    await page.getByLabel("Days in the bin").fill("0");
    await page.locator("section", { hasText: "Days in the bin" }).getByRole("button", { name: "Save" }).click();
    const fewer = page.getByRole("dialog", { name: "Keep it for fewer days?" });
    await fewer.getByText("1 submission is in the bin").waitFor();
    await fewer.getByRole("button", { name: "Save" }).click();
    await page.getByText("There is no bin: what is deleted is gone at once.").waitFor();
    assert.equal((await client.forms.get(formId)).settings.binDays, 0);

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
    assert.equal((await client.forms.get(formId)).submissionCount, before - 3);
    await client.forms.update(formId, { settings: { binDays: 30 } });
    await page.context().close();
  });

  test("on a phone Delete leads back to the list, and Undo is within reach there and over another submission", async () => {
    const before = (await client.forms.get(formId)).submissionCount;
    const page = await dashboard.signIn({ viewport: { width: 390, height: 844 } });
    await page.goto(`/forms/${formId}`);
    await unlock(page);
    await page.getByText("Person 119 · pay, hours · Question number 119").click();
    const detail = page.getByRole("dialog", { name: "Submission" });
    await detail.getByText("Question number 119").waitFor();
    const place = await detail.getByRole("button", { name: "Delete", exact: true }).boundingBox();
    assert.ok(place !== null);
    const middle = [place.x + place.width / 2, place.y + place.height / 2] as const;
    await page.mouse.click(...middle);
    await page.getByRole("status").filter({ hasText: "1 submission moved to the bin" }).waitFor();
    assert.equal(await detail.count(), 0, "no other Delete under the finger");
    await page.getByText("Person 118 · pay, hours · Question number 118").click();
    await detail.getByRole("status").filter({ hasText: "1 submission moved to the bin" }).waitFor();
    await assertAccessible(page, "undo over a submission");
    await detail.getByRole("button", { name: "Undo" }).click();
    await detail.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    await detail.getByRole("button", { name: "Newer" }).click();
    await detail.getByText("Question number 119").waitFor();
    assert.equal((await client.forms.get(formId)).submissionCount, before);
    await page.context().close();
  });

  test("the way back closes the open submission, forward and a reload open it again, and its address leads to it", async () => {
    const page = await dashboard.signIn({ viewport: { width: 390, height: 844 } });
    await page.goto(`/forms/${formId}`);
    await page.getByLabel("Remember on this").check();
    await unlock(page);
    const dialog = page.getByRole("dialog", { name: "Submission" });
    const isClosed = () => dialog.waitFor({ state: "detached" });
    await page.getByText("Person 129 · pay, hours · Question number 129").click();
    await dialog.getByText("Question number 129").waitFor();
    await page.goBack();
    await isClosed();
    assert.equal(page.url(), `${dashboard.service.url}/forms/${formId}`);
    await page.goForward();
    await dialog.getByText("Question number 129").waitFor();
    const id = new URL(page.url()).searchParams.get("submission") ?? "";
    const { submissions } = await client.submissions.list(formId);
    assert.ok(submissions.some((submission) => submission.id === id));
    await page.reload();
    await dialog.getByText("Question number 129").waitFor();
    // However many were read, the list is one step back; closing is that step too.
    await dialog.getByRole("button", { name: "Older" }).click();
    await dialog.getByRole("button", { name: "Older" }).click();
    await dialog.getByText("Question number 127").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await isClosed();
    await page.goBack();
    await page.getByRole("heading", { name: "Forms" }).waitFor();

    await page.goto(`/forms/${formId}?submission=${id}`);
    await dialog.getByText("Question number 129").waitFor();
    await page.keyboard.press("Escape");
    await isClosed();
    await page.getByRole("table").waitFor();
    await page.goto(`/forms/${formId}?submission=sub_00000000000000000000000000`);
    await page.getByText("The submission of this address is not here").waitFor();
    await assertAccessible(page, "an address of no submission");

    await page.context().clearCookies();
    await page.goto(`/forms/${formId}?submission=${id}`);
    await page.getByLabel("E-mail address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
    await dialog.getByText("Question number 129").waitFor();
    await page.context().close();
  });

  test("a submission of sixty thousand fields, or of as many values in one, shows and prints a part of them and says so, and shows more when it is asked to", async () => {
    const form = await client.forms.create({ name: "Many fields", publicKey: pair.publicKey });
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, "1"]));
    await submit(dashboard.service, form, fields);
    await submit(dashboard.service, form, { values: Array(60_000).fill("v") });
    const file = await createKeyFile({
      ...{ formId: form.id, formName: "Many fields", keyVersion: 1, createdAt: 1, privateKey: pair.privateKey },
    });
    const page = await dashboard.signIn();
    await page.goto(`/forms/${form.id}`);
    const buffer = Buffer.from(JSON.stringify(file));
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer });
    await page.getByRole("row").nth(1).getByRole("button").click();
    const detail = page.getByRole("region", { name: "Submission" });
    const more = detail.getByRole("button", { name: "Show 500 more" });
    await detail.getByText("200 of 60,000 are shown.").waitFor();
    assert.equal(await detail.getByRole("listitem").count(), 200);
    await more.click();
    await detail.getByText("700 of 60,000 are shown.").waitFor();
    assert.equal(await detail.getByRole("listitem").count(), 700);
    await detail.getByRole("button", { name: "Older" }).click();
    await detail.getByText("F199", { exact: true }).waitFor();
    assert.equal(await detail.locator("dl").first().locator("dt").count(), 200);
    await assertAccessible(page, "a part of many fields");
    await more.press("Enter");
    await detail.getByText("700 of 60,000 are shown.").waitFor();
    assert.ok(await more.evaluate((button) => button === document.activeElement), "the focus stays for the next press");
    await page.emulateMedia({ media: "print" });
    const printed = page.getByRole("article");
    await printed.getByText("59,000 more fields are not printed. An export has all of them.").waitFor();
    assert.equal(await printed.locator("dt").count(), 1_000);
    await page.context().close();
  });

  test("a phone shows the inbox and the open submission one over the other", async () => {
    const form = await client.forms.get(formId);
    await submit(dashboard.service, form, { name: "محمد بن علي", message: "مرحبا ".repeat(20) });
    const page = await dashboard.signIn({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.goto(`/forms/${formId}`);
    await unlock(page);
    await assertTouchable(page, "the list on a phone");
    // A name from right to left keeps its beginning: the line is cut at its end, which is on the left.
    const line = page.getByText("محمد بن علي");
    assert.equal(await line.evaluate((element) => getComputedStyle(element).direction), "rtl");
    await page.getByText("Person 129 · pay, hours · Question number 129").click();
    await page.getByRole("dialog", { name: "Submission" }).getByText("Question number 129").waitFor();
    await assertAccessible(page, "detail on a phone");
    await assertTouchable(page, "detail on a phone");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow}px wider than the screen`);
    await client.submissions.moveToBin(formId, [await submit(dashboard.service, form, { name: "Binned" })]);
    await page.goto(`/forms/${formId}/bin`);
    await page.getByRole("listitem").first().waitFor();
    await page.getByText("They are sealed. Unlock the form").waitFor();
    assert.ok(await page.getByText("Sealed", { exact: true }).last().isVisible(), "and each row says so in a word");
    await assertTouchable(page, "the bin on a phone");
    await page.context().close();
  });
});
