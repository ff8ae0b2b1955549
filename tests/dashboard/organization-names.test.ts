import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { CreatedForm } from "@sealpost/sdk";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { addToList, findList, makeAdaWithForm, makeReader, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("the organization's name", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard();
    ({ ada, form } = await makeAdaWithForm(dashboard.service));
    await addToList(ada, await makeReader(dashboard.service, ada, form), "reader");
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const names = async () => {
    const { organizations } = await ada.client.organizations.list();
    return [(await findList(ada)).organizationName, organizations.find(({ current }) => current)?.name];
  };

  test("renaming it signs the new name in the list first, on a phone; where the server calls it something else, both names are shown before something is sealed, and each can be taken over", async () => {
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto("/members");
    await button(page, "Rename").click();
    const dialog = page.getByRole("dialog", { name: "Rename the organization" });
    await dialog.getByText("Unlock your key: the new name is signed").waitFor();
    await check(page, "an organization is renamed, before the key is open");
    await unlockWithSheet(page, ada.own.sheet);
    await dialog.getByText("Your key signs the new name").waitFor();
    await check(page, "an organization is renamed");
    // The server refuses it: the name is signed already, both are shown, and the next press signs nothing twice.
    const renaming = "**/api/organization";
    await intercept(page, renaming, (route) => route.abort());
    await dialog.getByLabel("Name of the organization").fill("Council");
    await page.keyboard.press("Enter");
    await button(dialog, "Rename without signing").waitFor();
    await page.unroute(renaming);
    const signed = await findList(ada);
    assert.equal(signed.organizationName, "Council");
    assert.notEqual((await names())[1], "Council");
    await button(dialog, "Save changes").click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await names(), ["Council", "Council"]);
    assert.deepEqual((await findList(ada)).head, signed.head);

    await ada.client.organizations.rename({ name: "Hotline" });
    await page.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    const change = page.getByRole("dialog", { name: "Who reads this form" });
    const openChange = async () => {
      await button(page, "Change readers").click();
      await change.waitFor();
    };
    await openChange();
    await change.getByText("This is the organization “Council”, by its signed list of members").waitFor();
    await change.getByText(/^The server calls it “Hotline”/).waitFor();
    await check(page, "another name of the organization, where a form is sealed");
    await button(change, "Set the server's name back").click();
    await change.getByText(/^The server calls it/).waitFor({ state: "detached" });
    assert.deepEqual(await names(), ["Council", "Council"]);
    await button(change, "Cancel").click();

    await ada.client.organizations.rename({ name: "Hotline" });
    await page.reload();
    await unlockWithSheet(page, ada.own.sheet);
    await openChange();
    await button(change, "Sign the server's name").click();
    await change.getByText(/^The server calls it/).waitFor({ state: "detached" });
    assert.deepEqual(await names(), ["Hotline", "Hotline"]);
    await page.context().close();
  });
});
