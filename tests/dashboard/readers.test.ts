import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import {
  createListEntry,
  formatPersonalKey,
  generatePersonalKey,
  type ListHead,
  openEnvelope,
  RefusalError,
} from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import { createEnvelopeReader, createEnvelopeWriter, formatListHead } from "@sealpost/sdk/envelopes";
import { createId, type Fields, type FormId } from "@sealpost/wire";
import type { BrowserContextOptions, Page } from "playwright-core";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  equip,
  findList,
  makeAdaWithForm,
  makeReader,
  openBrowserOf,
  type Person,
  recordRequests,
  rememberHead,
} from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, submit } from "./dashboard.ts";
import { toSigner } from "./played-envelopes.ts";

// Two people with keys of their own, in two browsers, on the real service.
describe("readers of a form", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let form: CreatedForm;
  /** Everything that any page sent, as text. */
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ({ ada, form } = await makeAdaWithForm(service));
    bo = await makeReader(service, ada, form);
    await addToList(ada, bo, "reader");
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  /** A browser of this person. `head`: what the link of an admission brings along. */
  async function open(person: Person, head?: ListHead, options?: BrowserContextOptions): Promise<Page> {
    const page = sent.record(await openBrowserOf(person, dashboard, options));
    if (head !== undefined) await rememberHead(page, person, ada.account.id, head);
    return page;
  }

  /** On a machine that has seen nothing but the head of the list. */
  async function openWriter({ client, own }: Person) {
    const list = formatListHead((await findList(ada)).head);
    return createEnvelopeWriter({ client, identity: formatPersonalKey(own.key), heads: createMemoryStore(), list });
  }

  /** The newest envelope, with a key, and with all that the server has. */
  async function openNewest(identity: string) {
    const { file, revision } = (await ada.client.envelopes.getNewest(form.id, 1)) ?? assert.fail();
    const expected = { formId: form.id as FormId, firstVersion: 1, revision, list: await findList(ada) };
    return openEnvelope(file, identity, expected);
  }

  async function openAs(identity: string): Promise<string> {
    const opened = await openNewest(identity);
    return opened instanceof RefusalError ? opened.reason : "opened";
  }

  /** The fingerprints of all keys that a person gets from it. */
  async function keysOf({ own }: Person): Promise<readonly string[]> {
    const opened = await openNewest(own.key.identity);
    return opened instanceof RefusalError ? [] : opened.content.keys.map(({ fingerprint }) => fingerprint);
  }

  /** As a visitor does, to the newest key. */
  async function submitToNewest(fields: Fields): Promise<void> {
    const { body } = await dashboard.service.request("GET", `/api/forms/${form.id}/public`);
    const { publicKey, keyVersion } = body.form;
    await submit(dashboard.service, { id: form.id, publicKey }, fields, keyVersion);
  }

  const readers = (page: Page) => page.getByRole("list", { name: "Readers" }).getByRole("listitem");

  async function changeReaders(page: Page, name: string, action: "check" | "uncheck"): Promise<void> {
    await button(page, "Change readers").click();
    await page.getByRole("checkbox", { name })[action]();
    await button(page, "Seal for these readers").click();
    await page.getByText("1 form was changed.").waitFor();
    await button(page, "Close").last().click();
  }

  test("somebody who is added today opens the oldest row; after being taken out and a rotation, nothing that was sealed since", async () => {
    const page = await open(ada, undefined, phone);
    await page.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await readers(page).filter({ hasText: "Ada Example" }).waitFor();
    assert.equal(await readers(page).count(), 1);
    assert.equal(await openAs(bo.own.key.identity), "not_a_reader");
    await button(page, "Change readers").click();
    await page.getByText("By the server's word, their role reaches this form.").waitFor();
    await check(page, "choosing readers on a phone");
    // With the keyboard alone.
    await page.getByRole("checkbox", { name: "Bo Example" }).focus();
    await page.keyboard.press("Space");
    await button(page, "Seal for these readers").focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 form was changed.").waitFor();
    await check(page, "readers were changed");
    await page.keyboard.press("Escape");
    await readers(page).filter({ hasText: "Bo Example" }).waitFor();
    await check(page, "readers of a form");

    const pageOfBo = await open(bo, (await findList(ada)).head);
    await pageOfBo.goto(`/forms/${form.id}`);
    await unlockWithSheet(pageOfBo, bo.own.sheet);
    await pageOfBo.getByText("the oldest row").waitFor();

    await changeReaders(page, "Bo Example", "uncheck");
    await page.reload();
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Make the new key").click();
    await button(page, "Rotate to version 2").click();
    await page.getByText("Version 2 is now current").waitFor();
    await submitToNewest({ vote: "after the rotation" });
    await page.goto(`/forms/${form.id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("after the rotation").waitFor();

    await pageOfBo.reload();
    await unlockWithSheet(pageOfBo, bo.own.sheet);
    await pageOfBo.getByText("This form's envelope is not for your key").waitFor();
    assert.doesNotMatch(await pageOfBo.locator("body").innerText(), /after the rotation/);
    assert.equal(await openAs(bo.own.key.identity), "not_a_reader");
    await pageOfBo.context().close();
    await page.context().close();
  });

  test("a program reads by the public half that was pasted; a member who is removed goes from the list and all envelopes, and their forms get new keys", async () => {
    const program = await generatePersonalKey();
    const page = await open(ada);
    await page.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Add a program").click();
    await page.getByLabel("Name of the program").fill("Receiver at the town hall");
    await page.getByLabel("Its public key").fill(program.recipient.slice(0, -1));
    await button(page, "Add and seal for it").click();
    await page.getByText("This is not the public half of a hybrid key").waitFor();
    await check(page, "adding a program");
    await page.getByLabel("Its public key").fill(program.recipient.replace("q", "q\n"));
    await button(page, "Add and seal for it").click();
    await page.getByText("1 form was changed.").waitFor();
    await check(page, "a program was added");
    // With the head that is shown the program begins.
    const list = await page.getByRole("region", { name: "Head of the list of members" }).innerText();
    const options = { client: ada.client, identity: program.identity, heads: createMemoryStore(), list: list.trim() };
    const read = await (await createEnvelopeReader(options)).open(form.id);
    assert.ok(read.kind === "opened" && read.refused.length === 0 && read.keys.length > 0);
    await button(page, "Close").last().click();
    await readers(page).filter({ hasText: "Receiver at the town hall" }).waitFor();
    assert.equal(await openAs(program.identity), "opened");
    await changeReaders(page, "Bo Example", "check");
    assert.equal(await openAs(bo.own.key.identity), "opened");
    const opened = await keysOf(bo);

    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Members" }).click();
    await page.setViewportSize(phone.viewport);
    await page.getByRole("button", { name: /^Remove: / }).click();
    await button(page, "Remove").click();
    const dialog = page.getByRole("dialog", { name: /^Take .* out of what is sealed$/ });
    await dialog.getByText("1 form was changed.").waitFor();
    await check(page, "somebody was removed");
    await dialog.getByRole("button", { name: "Rotate the keys of 1 form" }).click();
    await dialog.getByText("Rotated: version 3").waitFor();
    await dialog.getByText("1 of 1 form has new keys.").waitFor();
    await check(page, "forms were rotated");
    await button(page, "Close").last().click();
    assert.deepEqual(
      [...(await findList(ada)).members.values()].map(({ name }) => name),
      ["Ada Example", "Receiver at the town hall"],
    );
    assert.equal(await openAs(bo.own.key.identity), "not_a_reader");
    assert.equal(await openAs(program.identity), "opened");
    assert.deepEqual((await keysOf(ada)).slice(0, opened.length), opened);
    assert.equal((await keysOf(ada)).length, opened.length + 1);
    // A browser that was somewhere else meanwhile is asked to look once, and then no more.
    const other = await open(ada);
    await other.goto("/members");
    await other.goto(`/forms/${form.id}`);
    await unlockWithSheet(other, ada.own.sheet);
    await other.getByText("the oldest row").waitFor();
    await other.getByRole("link", { name: "Forms", exact: true }).click();
    await button(other, "Look through all forms").click();
    await check(other, "looking through all forms");
    await other.getByRole("dialog").getByRole("button", { name: "Look through all forms" }).click();
    await other.getByText("All forms are as they should be").waitFor();
    await button(other, "Close").last().click();
    await button(other, "Look through all forms").waitFor({ state: "detached" });
    for (const tab of [page, other]) await tab.context().close();
  });

  test("before a manager is removed, the owner sees the keys that they brought in, and says of each whether it stays; one about which nothing was said is asked about on the page", async () => {
    const { service } = dashboard;
    const manager = { role: "manager" } as const;
    const cleo = await equip(service, await addPerson(service, ada.account, "cleo@example.com", manager, "Cleo"));
    await addToList(ada, cleo, "manager");
    const signer = await toSigner({ id: cleo.account.id, key: cleo.own.key });
    for (const name of ["Archive", "Reports"]) {
      const list = await findList(ada);
      const { recipient } = await generatePersonalKey();
      const member = { id: createId("account"), name, role: "program", recipient, signingKey: null } as const;
      const entry = await createListEntry(list, ada.account.id, { change: "add", member }, signer);
      await cleo.client.memberList.add(entry, list.head);
    }
    // A program that Ada vouches for reads the form by the word of Cleo.
    const members = [...(await findList(ada)).members.values()];
    const receiver = members.find(({ name }) => name === "Receiver at the town hall")?.id ?? assert.fail();
    await (await openWriter(ada)).changeReaders(form.id, { add: [cleo.account.id], remove: [receiver] });
    await (await openWriter(cleo)).changeReaders(form.id, { add: [receiver], remove: [] });
    const names = async () => [...(await findList(ada)).members.values()].map(({ name }) => name);
    const before = await names();
    const page = await open(ada);
    await page.goto(`/forms/${form.id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("the oldest row").waitFor();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Members" }).click();
    await page.setViewportSize(phone.viewport);
    await page.getByRole("button", { name: "Remove: Cleo" }).click();
    await button(page, "Remove").click();
    const dialog = page.getByRole("dialog", { name: "Take Cleo out of what is sealed" });
    await dialog.getByText("What becomes of the keys that Cleo brought in?").waitFor();
    assert.ok((await names()).includes("Cleo"), "nothing happens before it was answered");
    await check(page, "the keys that somebody brought in");
    // With the keyboard alone: the first one stays without an answer, the second goes as well, as is chosen.
    const group = (name: string) => dialog.getByRole("group", { name: new RegExp(`^${name}`) });
    await group("Archive").getByRole("radio", { checked: true }).focus();
    await page.keyboard.press("ArrowDown");
    assert.ok(
      await group("Archive")
        .getByRole("radio", { name: /^I can't say/ })
        .isChecked(),
    );
    assert.ok(
      await group("Reports")
        .getByRole("radio", { name: /^Remove it/ })
        .isChecked(),
    );
    await dialog.getByRole("button", { name: "Continue" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("Cleo is not in the signed list of members.").waitFor();
    await dialog.getByText("1 form was changed.").waitFor();
    const introduced = dialog.getByRole("list", {
      name: /^Readers that Cleo, or somebody else who has left, put into/,
    });
    await introduced.getByText("Receiver at the town hall").waitFor();
    assert.equal(await introduced.getByRole("link").count(), 1);
    assert.doesNotMatch(await introduced.innerText(), /Archive|Reports/);
    await check(page, "the readers that somebody put into forms");
    assert.deepEqual(
      ["Cleo", "Archive", "Reports"].filter((name) => before.includes(name)),
      ["Cleo", "Archive", "Reports"],
    );
    const left = await names();
    assert.deepEqual(
      before.filter((name) => !left.includes(name)),
      ["Cleo", "Reports"],
    );
    await button(page, "Close").last().click();
    await page.getByText("1 member needs somebody who vouches for them").waitFor();
    await button(page, "Look at them").click();
    const question = page.getByRole("dialog", { name: "1 member needs somebody who vouches for them" });
    await question.getByRole("radio", { name: /^I know this key/ }).check();
    await check(page, "a key that nobody vouches for");
    await question.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("1 member needs somebody who vouches for them").first().waitFor({ state: "detached" });
    assert.match(new TextDecoder().decode(await ada.client.memberList.get()), /"change":"vouch"/);
    await page.context().close();
  });

  test("no part of a private key was in any request of these pages", () => {
    const requests = sent.all();
    for (const { own } of [ada, bo])
      for (const secret of [own.key.identity, own.key.signingSeed, own.sheet.identity, ...own.sheet.lines])
        assert.ok(!requests.includes(secret));
    assert.ok(!requests.includes('"d":') && !requests.includes('"priv":'));
    assert.match(requests, /"envelope":"/, "control: envelopes were sent");
  });
});
