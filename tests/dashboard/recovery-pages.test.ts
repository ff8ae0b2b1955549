import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import {
  createListEntry,
  generatePersonalKey,
  generateSheet,
  importSigningKey,
  RefusalError,
  splitIdentity,
  verifyList,
} from "@sealpost/envelope";
import type { Client } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { choosePhoto, showToCamera } from "../support/browser-devices.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { showRows } from "../support/first-sights.ts";
import { recordRequests } from "../support/people.ts";
import { type MadePersonalKey, makePersonalKey, unlockWithSheet } from "../support/personal-key.ts";
import { createAccount, type Dashboard, person, startDashboard, submit, untilFocused } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { tabTo } from "./tab-to.ts";

describe("the organization's recovery key", () => {
  let dashboard: Dashboard;
  let client: Client;
  const sent = recordRequests();
  let sheets: readonly (readonly string[])[] = [];
  let formId = "";

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (path: string, options?: Parameters<Dashboard["signIn"]>[1]) =>
    sent.record(await dashboard.signIn(path, options));

  /** A key of the person, made elsewhere. */
  async function giveKey(): Promise<MadePersonalKey> {
    const own = await makePersonalKey();
    const page = await dashboard.signIn();
    const status = await page.evaluate(async (body) => {
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/account/personal-key", { method: "POST", headers, body })).status;
    }, JSON.stringify(own.body));
    assert.equal(status, 200);
    await page.context().close();
    return own;
  }

  const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

  async function typeSheet(page: Page, lines: readonly string[]): Promise<void> {
    for (const [index, line] of lines.entries()) await page.getByLabel(`Line ${index + 1}`).fill(line);
    await button(page, "Take this sheet").click();
  }

  /** Types the second and the third sheet. */
  async function bringByKeyboard(page: Page): Promise<void> {
    for (const sheet of sheets.slice(1)) {
      await page.getByLabel("Line 1").focus();
      for (const line of sheet) {
        await page.keyboard.type(line);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      if (sheet === sheets[1]) await page.getByText("Sheet 2 is taken. One more is needed.").waitFor();
    }
  }

  test("on a phone it is made in three sheets, two of which are brought back by camera and typed; the forms take it, and it is required", async () => {
    const own = await giveKey();
    const page = await open("/forms/new", phone);
    await page.getByRole("textbox", { name: "Name" }).fill("Works council");
    await client.organizations.requireRecovery(true);
    await button(page, "Create form").click();
    await unlockWithSheet(page, own.sheet);
    await page.getByText("Your organization wants a recovery key first").waitFor();
    await check(page, "a recovery key is wanted first");
    assert.equal((await client.forms.list()).forms.length, 0);
    await client.organizations.requireRecovery(false);
    await button(page, "Create form").click();
    await page.getByText("Waiting for the first submission").waitFor();
    const [form = assert.fail()] = (await client.forms.list()).forms;
    formId = form.id;
    await submit(dashboard.service, { ...form, publicKey: (await client.forms.keys(formId))[0]?.publicKey } as never, {
      vote: "yes-please",
    });

    await page.goto("/members");
    await page.getByRole("link", { name: "Recovery key" }).click();
    await unlockWithSheet(page, own.sheet);
    await heading(page, "There is no recovery key yet").waitFor();
    await check(page, "no recovery key");
    await button(page, "Make the recovery key").click();
    await page.getByLabel("Several sheets, of which some are enough").check();
    await page.getByLabel("Enough to open").fill("4");
    await button(page, "Continue").click();
    await page.getByText("Must be a number from 2 to 3.").waitFor();
    await check(page, "how many sheets");
    await page.getByLabel("Enough to open").fill("2");
    await page.getByLabel("Sheets", { exact: true }).fill("1e1");
    await button(page, "Continue").click();
    await page.getByText("Must be a number from 2 to 16.").waitFor();
    await page.getByLabel("Sheets", { exact: true }).fill("4");
    await button(page, "Continue").click();
    await untilFocused(heading(page, "Print the 4 recovery sheets"));
    await button(page, "Back").click();
    await button(page, "Leave").click();
    await untilFocused(heading(page, "One sheet, or several?"));
    assert.equal(await page.getByLabel("Sheets", { exact: true }).inputValue(), "4");
    await page.getByLabel("Sheets", { exact: true }).fill("3");
    await button(page, "Continue").click();
    await untilFocused(heading(page, "Print the 3 recovery sheets"));
    await page.evaluate(() => {
      window.print = () => undefined; // the outside world
    });
    await button(page, "Print the sheets").click();
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    const codes = page.getByRole("img", { name: "The sheet as a code to scan" });
    assert.equal(await codes.count(), 3);
    const photo = await codes.nth(2).screenshot();
    const printed = page.getByTestId("sheet-lines").filter({ visible: true });
    sheets = await Promise.all(
      [0, 1, 2].map(async (index) =>
        (await printed.nth(index).getByRole("listitem").allInnerTexts()).map((line) => line.trim()),
      ),
    );
    assert.deepEqual(
      sheets.map(({ length }) => length),
      [5, 5, 5],
    );
    await page.emulateMedia({ media: "screen" });
    await check(page, "print the sheets");
    await button(page, "I have all sheets on paper").click();
    await untilFocused(heading(page, "Show that the paper works"));
    await showToCamera(page, photo);
    await button(page, "Scan the sheet").click();
    await page.getByText("Sheet 3 is taken. One more is needed.").waitFor();
    await choosePhoto(page, "sheet 3.png", photo);
    await page.getByText("Sheet 3 was taken already").waitFor();
    const foreign = await splitIdentity((await generateSheet("organization")).identity, 2, 3);
    await typeSheet(page, foreign[0]?.lines ?? []);
    await page.getByText("This sheet belongs to another set").waitFor();
    await check(page, "a sheet of another set");
    await typeSheet(page, own.sheet.lines);
    await page.getByText("This is the recovery sheet of a person").first().waitFor();
    await typeSheet(page, sheets[0] ?? []);
    await untilFocused(heading(page, "Everything is ready"));
    assert.equal(await client.memberList.get().then((bytes) => countEntries(bytes)), 1, "nothing was sent so far");
    await button(page, "Add the recovery key").click();
    await untilFocused(heading(page, "The recovery key is there"));
    assert.equal(await client.memberList.get().then((bytes) => countEntries(bytes)), 3);
    await button(page, "Update all forms").click();
    await page.getByText("1 form was changed.").waitFor();
    await check(page, "forms with the recovery key");
    await button(page, "Finish").click();
    await page.getByText("This browser has updated all forms that you read.").waitFor();
    await check(page, "forms that were updated");
    await button(page, "Require it").click();
    await page.getByText("Your organization requires a recovery key.").waitFor();
    await check(page, "recovery key required");
    await button(page, "Remove").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("This organization wants a recovery key").waitFor();
    await page.context().close();
  });

  test("with everything lost but two sheets, a new key on a new computer becomes an owner's by keyboard, and reads what was sent before", async () => {
    const { database } = dashboard.service;
    await database.deleteFrom("key_copy").execute();
    await database.deleteFrom("personal_key").execute();
    const own = await giveKey();
    const page = await open("/recovery/use");
    await unlockWithSheet(page, own.sheet);
    await untilFocused(heading(page, "Bring the sheets"));
    await check(page, "bring the sheets");
    await page.getByLabel("Four lines: one sheet is the whole key").focus();
    await page.keyboard.press("ArrowDown");
    // The server makes up a list with the recovery key's public halves, which it knows.
    const invented = await inventList((await client.memberList.get()) ?? new Uint8Array());
    await intercept(page, "**/api/member-list*", (route) =>
      route.fulfill({ headers: { "content-type": "text/plain", etag: '"2-x"' }, body: invented }),
    );
    const posted = sent.requests.length;
    await bringByKeyboard(page);
    await page.getByText("has never been signed with this recovery key").waitFor();
    assert.ok(
      !sent.requests.slice(posted).some((request) => request.includes("/api/member-list ") && request.endsWith("}")),
    );
    await check(page, "a list that somebody made up");
    await page.unroute("**/api/member-list*");
    await button(page, "Begin again with other sheets").click();
    await bringByKeyboard(page);
    await untilFocused(heading(page, "Become an owner of the list"));
    await page.getByText("names as owners: Ada Example").waitFor();
    await check(page, "become an owner");
    assert.ok(await button(page, "Become an owner").isDisabled(), "nobody has said that they know the members");
    await page.getByLabel("I know these owners and members").focus();
    await page.keyboard.press("Space");
    await button(page, "Become an owner").focus();
    await page.keyboard.press("Enter");
    await untilFocused(heading(page, "You are an owner with your new key"));
    // The lost key wrote the form's envelope last, and this browser has seen nothing of it.
    await showRows(page.getByRole("region", { name: "1 form, signed by" }));
    await tabTo(page, button(page, "These are right"));
    await page.keyboard.press("Enter");
    await page.getByText("1 form was changed.").waitFor();
    await page.getByText("Was your former key stolen").waitFor();
    await check(page, "recovered");
    await tabTo(page, page.getByRole("link", { name: "See your forms" }));
    await page.keyboard.press("Enter");
    await heading(page, "Forms").waitFor();
    await page.goto(`/forms/${formId}`);
    await page.getByText("Open with your key").waitFor();
    await unlockWithSheet(page, own.sheet);
    await page.getByText("yes-please").first().waitFor();
    await page.context().close();

    const lines = sheets.flat().map((line) => line.replaceAll(" ", ""));
    assert.equal(lines.length, 15);
    const all = sent.all().replace(/[\s-]/g, "");
    for (const line of lines) assert.ok(!all.includes(line), "no line of a sheet is in any request");
    assert.ok(!all.includes("AGESECRETKEY"));
  });
});

function countEntries(bytes: Uint8Array | undefined): number {
  return (bytes === undefined ? "" : new TextDecoder().decode(bytes)).split("\n").length >> 1;
}

/** A list of somebody else's, with the recovery key of the real one. */
async function inventList(real: Uint8Array): Promise<string> {
  const { organizationId, member } = JSON.parse(new TextDecoder().decode(real).split("\n")[2] ?? "");
  assert.equal(member.role, "recovery");
  const { recipient, signingKey, signingSeed } = await generatePersonalKey();
  const id = createId("account");
  const signer = { id, signingKey: await importSigningKey(signingSeed) };
  const founder = { id, name: person.name, role: "owner", recipient, signingKey } as const;
  const { entry: first } = await createListEntry(undefined, organizationId, { change: "add", member: founder }, signer);
  const list = await verifyList(new TextEncoder().encode(first), { organizationId, trust: { signingKey } });
  assert.ok(!(list instanceof RefusalError));
  const recovery = { ...member, name: "Recovery key" };
  return first + (await createListEntry(list, organizationId, { change: "add", member: recovery }, signer)).entry;
}
