import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import type { Locator, Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  beginList,
  equip,
  findList,
  makeAda,
  makeSealedForm,
  openBrowserOf,
  type Person,
  removeFromList,
} from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { toSigner } from "./played-envelopes.ts";

// An owner on a phone sees who will read with a new key before it is used, and who will not.
describe("readers of a new key", () => {
  let dashboard: Dashboard;
  let [ada, bo, cleo]: Person[] = [];

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const owner = await makeAda(service);
    ada = owner;
    await beginList(owner);
    const add = async (email: string, name: string) => {
      const person = await equip(service, await addPerson(service, owner.account, email, { role: "manager" }, name));
      await addToList(owner, person, "manager");
      return person;
    };
    bo = await add("bo@example.com", "Bo Example");
    cleo = await add("cleo@example.com", "Cleo");
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const people = () => {
    assert.ok(ada && bo && cleo);
    return { ada, bo, cleo };
  };
  const open = async (path: string) => {
    const page = await openBrowserOf(people().ada, dashboard, phone);
    await page.goto(path);
    await unlockWithSheet(page, people().ada.own.sheet);
    return page;
  };
  const namesIn = async (list: Locator) => (await list.getByRole("listitem").allTextContents()).toSorted();
  const readersIn = (page: Page) => namesIn(page.getByRole("list", { name: "Who will read with the new key" }));
  const versionsOf = async (formId: string) =>
    (await people().ada.client.forms.keys(formId)).map(({ version }) => version).toSorted();

  test("a form's page names them before the button, shows them again where they are others by then, and seals for these alone", async () => {
    const { ada, bo, cleo } = people();
    const form = await makeSealedForm(ada, "Vote", [bo, cleo]);
    const formId = form.id as FormId;
    const page = await open(`/forms/${formId}/keys`);
    await button(page, "Make the new key").click();
    const rotate = button(page, "Rotate to version 2");
    await rotate.waitFor();
    assert.deepEqual(await readersIn(page), ["Ada Example", "Bo Example", "Cleo"]);
    await page.getByText("The server may show the envelope from before somebody was taken out").waitFor();
    await check(page, "who will read with the new key");

    await setReaders(formId, [ada, cleo]);
    await rotate.click();
    await page.getByRole("alert").filter({ hasText: "The list above is the new one" }).waitFor();
    assert.deepEqual(await readersIn(page), ["Ada Example", "Cleo"]);
    assert.deepEqual(await versionsOf(formId), [1], "nothing was sent");
    await check(page, "others will read with the new key");
    await rotate.click();
    await page.getByText("Version 2 is now current").waitFor();
    assert.deepEqual(await readersOf(formId), [ada, cleo].map(({ account }) => account.id).toSorted());
    assert.equal(await page.getByRole("list", { name: "Who will read with the new key" }).count(), 0);

    await removeFromList(ada, cleo);
    await addToList(ada, cleo, "manager");
    await page.reload();
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Make the new key").click();
    await button(page, "Rotate to version 3").waitFor();
    assert.deepEqual(await readersIn(page), ["Ada Example"]);
    const leftOut = page.getByRole("list", { name: "Left out, although they read this form until now" });
    assert.match((await namesIn(leftOut)).join(), /^Cleo: has left the list of members/);
    await check(page, "who is left out of a rotation");
    await button(page, "Rotate to version 3").click();
    await page.getByText("Version 3 is now current").waitFor();
    assert.deepEqual(await readersOf(formId), [ada.account.id]);
    await page.context().close();
  });

  test("many forms name theirs before the button, and one with others by then is not rotated until these were seen", async () => {
    const { ada, bo, cleo } = people();
    const [same, other] = [
      await makeSealedForm(ada, "Same readers", [bo, cleo]),
      await makeSealedForm(ada, "Other readers", [bo, cleo]),
    ];
    const page = await open("/account/key");
    await button(page, "Account menu").click();
    await page.getByRole("menuitem", { name: "Members" }).click();
    await button(page, /^Remove: .*Bo/).click();
    await button(page, "Remove").click();
    const dialog = page.getByRole("dialog", { name: /^Take .* out of what is sealed$/ });
    const rowOf = (name: string) => dialog.getByRole("listitem").filter({ hasText: name });
    const shownIn = (name: string) => rowOf(name).getByText(/^Who will read with the new key: /);
    await shownIn("Same readers").waitFor();
    const rotate = (count: number) => button(dialog, `Rotate the keys of ${count} ${count === 1 ? "form" : "forms"}`);
    await rotate(2).waitFor();
    for (const name of ["Same readers", "Other readers"])
      assert.match((await shownIn(name).textContent()) ?? "", /: (Ada Example, Cleo|Cleo, Ada Example)$/);
    await check(page, "who will read many forms");
    await setReaders(other.id as FormId, [ada]);
    await rotate(2).click();
    await rowOf("Other readers").getByRole("alert").filter({ hasText: "Not rotated: the envelope or its" }).waitFor();
    await dialog.getByText("1 of 2 forms have new keys.").waitFor();
    assert.match((await shownIn("Other readers").textContent()) ?? "", /: Ada Example$/);
    assert.deepEqual([await versionsOf(same.id), await versionsOf(other.id)], [[1, 2], [1]]);
    await check(page, "one of many forms has other readers");
    await rotate(1).click();
    await dialog.getByText("2 of 2 forms have new keys.").waitFor();
    assert.deepEqual(await readersOf(same.id as FormId), [ada, cleo].map(({ account }) => account.id).toSorted());
    assert.deepEqual(await readersOf(other.id as FormId), [ada.account.id]);
    await page.context().close();
  });

  async function openNewest(formId: FormId) {
    const { ada } = people();
    const list = await findList(ada);
    const firstVersion = 1;
    const { file, revision } = (await ada.client.envelopes.getNewest(formId, firstVersion)) ?? assert.fail();
    const opened = await openEnvelope(file, ada.own.key.identity, { list, formId, firstVersion, revision });
    return opened instanceof RefusalError ? assert.fail(opened.reason) : { list, opened };
  }

  async function readersOf(formId: FormId): Promise<readonly string[]> {
    return (await openNewest(formId)).opened.content.readers.map(({ id }) => id).toSorted();
  }

  /** In another browser meanwhile. */
  async function setReaders(formId: FormId, readers: readonly Person[]): Promise<void> {
    const { ada } = people();
    const { list, opened: previous } = await openNewest(formId);
    const signer = await toSigner({ id: ada.account.id, key: ada.own.key });
    const readerIds = readers.map(({ account }) => account.id);
    const next = await sealEnvelope({ list, signer, formId, readerIds, keys: [], previous });
    await ada.client.envelopes.put(formId, 1, next.file, previous.head);
  }
});
