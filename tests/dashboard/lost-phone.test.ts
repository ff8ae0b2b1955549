import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { CreatedForm } from "@sealpost/sdk";
import type { BrowserContextOptions, Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  beginList,
  equip,
  findList,
  makeSealedForm,
  openBrowserOf,
  type Person,
  recordRequests,
  rememberHead,
} from "../support/people.ts";
import { holdCeremony, unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, submit } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

// A plain reader, who signs no entry of the list, loses her devices one after the other. All that she has each time is paper.
describe("a reader's lost devices", () => {
  let dashboard: Dashboard;
  let bo: Person;
  let form: CreatedForm;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const ada = await equip(service, await service.signUp("ada@example.com", "Ada Example"));
    await beginList(ada);
    const account = await addPerson(
      service,
      ada.account,
      "bo@example.com",
      { role: "reader", forms: [] },
      "Bo Example",
    );
    bo = await equip(service, account);
    await addToList(ada, bo, "reader");
    form = await makeSealedForm(ada, "Works council", [bo]);
    await ada.client.members.change(bo.account.id, { role: "reader", forms: [form.id] });
    await submit(service, form, { vote: "the oldest row" });
    // The device that has joined by a link; before there were signed heads, it left none.
    const laptop = await open();
    await rememberHead(laptop, bo, ada.account.id, (await findList(ada)).head);
    await laptop.goto("/account/key");
    const left = laptop.waitForResponse((response) => /\/signed-heads\/acc_/.test(response.url()));
    await unlockWithSheet(laptop, bo.own.sheet);
    assert.equal((await left).status(), 200, "it leaves one when the key is unlocked, before any form is opened");
    await laptop.context().close();
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (options?: BrowserContextOptions): Promise<Page> =>
    sent.record(await openBrowserOf(bo, dashboard, options));

  const unlocked = (page: Page) => page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();

  test("with her recovery sheet she reads the oldest row on a new phone, without anybody else; where the server hides what her laptop has signed, the page says that it can't tell, and what to do", async () => {
    const page = await open(phone);
    await page.goto(`/forms/${form.id}`);
    await unlockWithSheet(page, bo.own.sheet);
    await page.getByText("the oldest row").waitFor();
    await page.context().close();

    const other = await open(phone);
    await intercept(other, "**/api/account/signed-heads", (route) => route.fulfill({ json: { signedHeads: [] } }));
    await other.goto(`/forms/${form.id}`);
    await unlockWithSheet(other, bo.own.sheet);
    const notice = other.getByRole("alert").filter({ hasText: "This browser can't tell yet whether the list" });
    await notice.waitFor();
    assert.match(await notice.innerText(), /bring you in again, under Members: Ada Example/);
    assert.doesNotMatch(await other.locator("body").innerText(), /the oldest row|not in this organization/);
    await check(other, "nothing vouches for the list");
    await other.context().close();
  });

  test("her key, replaced on a phone that is lost before anything was carried over, is carried over on the next one with the new sheet, and opens the oldest row", async () => {
    const lost = await open(phone);
    await lost.goto("/account/key");
    await unlockWithSheet(lost, bo.own.sheet);
    await unlocked(lost);
    // It has seen the list, and so the next key signs which one it was.
    await lost.goto(`/forms/${form.id}`);
    await unlockWithSheet(lost, bo.own.sheet);
    await lost.getByText("the oldest row").waitFor();
    await lost.goto("/account/key");
    await unlockWithSheet(lost, bo.own.sheet);
    await button(lost, "Replace your key…").click();
    await button(lost, "Make the new key").click();
    const { lines } = await holdCeremony(lost);
    await lost.context().close();

    const page = await open(phone);
    await page.goto("/account/key");
    await page.getByText("Unlock your key", { exact: true }).first().waitFor();
    await button(page, "Recovery sheet").click();
    await page.getByLabel("Line 1").fill(lines.join(" "));
    await button(page, "Unlock").click();
    await unlocked(page);
    await button(page, "Carry your forms over").click();
    await page.getByText("The list of members has your key.").waitFor();
    await page.getByText("Ask an owner or a manager to accept your new key").waitFor();
    await page.getByText("ask them to rotate the keys of these forms as well").waitFor();
    await page.getByRole("link", { name: "Forms", exact: true }).first().click();
    await page.getByRole("link", { name: "Works council" }).first().click();
    await page.getByText("the oldest row").waitFor();
    await page.context().close();
  });

  test("no part of a private key was in any request of these pages", () => {
    const requests = sent.all();
    const { key, sheet } = bo.own;
    assert.ok(requests.includes('"signedHead":"'), "control: heads were sent");
    for (const secret of [key.identity, key.signingSeed, sheet.identity, ...sheet.lines])
      assert.ok(!requests.includes(secret));
  });
});
