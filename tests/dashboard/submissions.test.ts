import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { createKeyFile } from "@sealpost/sdk";
import { takeKeyPair } from "../support/key-pairs.ts";
import { readWorkbook } from "../support/workbook.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { assertAccessible, type Dashboard, startDashboard, submit, untilFocused } from "./dashboard.ts";

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
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("a locked form shows how many there are, and refuses keys that don't belong to it by name", async () => {
    const page = await dashboard.signIn(`/forms/${contact.form.id}`);
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
    await untilFocused(pasted); // pasting begins at once
    await pasted.fill('{"name": "some package"}');
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByRole("alert").filter({ hasText: "This is not a key" }).waitFor();
    await page.getByLabel("Private key").fill(JSON.stringify(other.publicKey));
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByRole("alert").filter({ hasText: "This is a public key" }).waitFor();
    // As it may be typed from the sheet: with line breaks anywhere.
    await page.getByLabel("Private key").fill(JSON.stringify(contact.pair.privateKey).replace(/(.{64})/g, "$1\n"));
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByText("Question number 129").waitFor();
    // The focus continues with the inbox.
    await untilFocused(page.locator("#content"));
    await page.context().close();
  });

  test("all submissions are opened here, found by their content, sorted, and read one by one by keyboard", async () => {
    const page = await contact.openInbox();
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
    await untilFocused(row);
    await page.keyboard.press("Enter");
    await detail.getByRole("button", { name: "Close" }).press("Escape");
    await detail.waitFor({ state: "detached" });
    await untilFocused(row);
    // A phone that is turned shows rows of another height: none may lie on another.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("columnheader", { name: "message" }).waitFor({ state: "detached" });
    const boxes = await page.getByRole("row").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()));
    for (const [index, box] of boxes.slice(2).entries()) assert.equal(box.top, boxes[index + 1]?.bottom);
    await page.context().close();
  });

  test("what is exported is what is shown: a formula stays a text, and what could not be opened is named", async () => {
    const { form } = contact;
    const strange = takeKeyPair();
    const lost = await submit(
      dashboard.service,
      { id: contact.form.id, publicKey: strange.publicKey },
      { message: "to another key" },
    );
    const formula = await submit(dashboard.service, form, hostile);
    const page = await contact.openInbox();
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

    const workbook = page.waitForEvent("download");
    await page.getByRole("button", { name: "Excel (XLSX)" }).click();
    const download = await workbook;
    assert.match(download.suggestedFilename(), /^sealpost-[\w-]+\.xlsx$/);
    const [sheet] = readWorkbook(readFileSync(await download.path()));
    const cells = sheet?.rows.map((row) => Array.from(row.values(), ({ value }) => value)) ?? [];
    assert.equal(cells.length, 133);
    const formulaCells = cells.find(([id]) => id === formula);
    for (const value of Object.values(hostile)) {
      const expected = value.length > 32_767 ? `${value.slice(0, 32_766)}…` : value;
      assert.ok(formulaCells?.includes(expected), value.slice(0, 100));
    }
    await page.getByText("1 text is longer than a cell of Excel").waitFor();
    await assertAccessible(page, "exported");
    assert.ok(cells[0]?.includes("=1+1"), "no apostrophe: a text is marked as one");
    // The browser's own parser says whether it is XML.
    const countRows = (xml: string) =>
      new DOMParser().parseFromString(xml, "application/xml").querySelectorAll("sheetData > row").length;
    const blank = await page.context().newPage();
    assert.equal(await blank.evaluate(countRows, sheet?.xml ?? ""), 133);
    await blank.close();

    const separator = page.getByLabel("Separator");
    assert.equal(await separator.inputValue(), "comma", "of the browser's language");
    await separator.selectOption("Semicolon");
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Export" }).click();
    assert.equal(await separator.inputValue(), "semicolon", "it is remembered");
    const separated = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV", exact: true }).click();
    assert.ok(readFileSync(await (await separated).path(), "utf8").startsWith('\uFEFF"_id";"_receivedAt";'));
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByLabel("Search in opened submissions").fill("alert(1)");
    await page.getByRole("row").nth(1).getByRole("button").click();
    const detail = page.getByRole("region", { name: "Submission" });
    await detail.getByText("<script>alert(1)</script>").waitFor();
    await detail.getByText("<img src=x onerror=alert(1)>").waitFor();
    await detail.getByRole("button", { name: "Show all 600,000 characters" }).waitFor();
    await page.context().close();
  });

  test("a submission of sixty thousand fields, or of as many values in one, shows and prints a part of them and says so, and shows more when it is asked to", async () => {
    const form = await contact.client.forms.create({ name: "Many fields", publicKey: contact.pair.publicKey });
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, "1"]));
    await submit(dashboard.service, form, fields);
    await submit(dashboard.service, form, { values: Array(60_000).fill("v") });
    const file = await createKeyFile({
      ...{ formId: form.id, formName: "Many fields", keyVersion: 1, createdAt: 1, privateKey: contact.pair.privateKey },
    });
    const page = await dashboard.signIn(`/forms/${form.id}`);
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
    await untilFocused(more); // for the next press
    await page.emulateMedia({ media: "print" });
    const printed = page.getByRole("article");
    await printed.getByText("59,000 more fields are not printed. An export has all of them.").waitFor();
    assert.equal(await printed.locator("dt").count(), 1_000);
    await page.context().close();
  });
});
