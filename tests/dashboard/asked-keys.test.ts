import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { findSealable, openEnvelope, RefusalError, recipientFingerprint } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { sayTheseAreRight } from "../support/first-sights.ts";
import {
  addToList,
  findList,
  makeAdaWithForm,
  makeReader,
  makeSealedForm,
  openBrowserOf,
  type Person,
} from "../support/people.ts";
import { holdCeremony, unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

// A person is asked about others before their key signs for them, and nothing is signed before the answer.
describe("what is asked before a key signs", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let cleo: Person;

  before(async () => {
    dashboard = await startDashboard();
    const made = await makeAdaWithForm(dashboard.service);
    ({ ada } = made);
    bo = await makeReader(dashboard.service, ada, made.form);
    cleo = await makeReader(dashboard.service, ada, made.form, "Cleo");
    for (const reader of [bo, cleo]) await addToList(ada, reader, "reader");
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("who gives a role is shown the member's key, and nothing is signed before they say that they know it", async () => {
    await ada.client.members.change(cleo.account.id, { role: "manager" });
    const { number } = (await findList(ada)).head;
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto("/members");
    await button(page, "Unlock your key").first().click();
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Change the list: Cleo").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Is this the key of Cleo?" }).waitFor();
    await dialog.getByText(await recipientFingerprint(cleo.own.key)).waitFor();
    await dialog.getByText("Vouched for the key so far: Ada Example.").waitFor();
    await check(page, "whose key gets a role");
    await dialog.getByRole("button", { name: "Continue" }).click();
    assert.ok(await dialog.getByRole("heading", { name: "Is this the key of Cleo?" }).isVisible(), "still asked");
    await dialog.getByRole("radio", { name: "I know them, and this is their key" }).check();
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("button", { name: "Change the list" }).waitFor();
    assert.equal((await findList(ada)).head.number, number, "nothing is signed yet");
    await dialog.getByRole("button", { name: "Change the list" }).click();
    await dialog.waitFor({ state: "hidden" });
    const list = await findList(ada);
    assert.deepEqual([list.head.number, list.members.get(cleo.account.id)?.role], [number + 2, "manager"]);
    assert.ok((await findSealable(list, { own: ada.own.key })).has(cleo.account.id), "vouched for with the new role");
    await page.context().close();
  });

  test("who replaces their key says of each reader whom it has put into a form whether they read on; others are taken out", async () => {
    const form = await makeSealedForm(ada, "Board", [bo, cleo]);
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto("/account/key");
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Replace your key…").click();
    await button(page, "Make the new key").click();
    await holdCeremony(page);
    await button(page, "See the ways to unlock it").click();
    await page.getByText("You brought these in: was it you?").waitFor();
    for (const name of ["Bo Example", "Cleo"])
      await page
        .getByRole("group", { name })
        .getByRole("radio", { name: /^It was me/ })
        .check();
    await button(page, "Carry your forms over").click();
    const asked = page.getByRole("group", { name: "Board" });
    await asked.waitFor();
    const reads = (name: string) => asked.getByRole("checkbox", { name: `${name} reads on` });
    for (const name of ["Bo Example", "Cleo"]) assert.equal(await reads(name).isChecked(), false, "claimed by nobody");
    await check(page, "which readers read on");
    const revisionBefore = (await ada.client.envelopes.getNewest(form.id, 1))?.revision;
    await reads("Bo Example").check();
    await button(page, "Change the forms").click();
    // This browser sees both forms for the first time, and her former key has signed them.
    for (const left of [1, 0]) {
      await sayTheseAreRight(page, /^These are right/);
      await page
        .getByRole("button", { name: /^These are right/ })
        .nth(left)
        .waitFor({ state: "detached" });
    }
    await page.getByText("2 forms were changed").waitFor();
    const stored = (await ada.client.envelopes.getNewest(form.id, 1)) ?? assert.fail();
    assert.equal(revisionBefore, 1, "nothing was sealed before the answer");
    const expected = {
      formId: form.id as FormId,
      firstVersion: 1,
      revision: stored.revision,
      list: await findList(ada),
    };
    const openAs = async ({ own }: Person) => {
      const opened = await openEnvelope(stored.file, own.key.identity, expected);
      return opened instanceof RefusalError ? opened.reason : "opened";
    };
    assert.deepEqual([await openAs(bo), await openAs(cleo)], ["opened", "not_a_reader"]);
    await page.context().close();
  });
});
