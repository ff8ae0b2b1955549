import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { generatePersonalKey, openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { createClient, createKeyFile } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import { Encrypter } from "age-encryption";
import type { Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
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

const screens = { "a computer": {}, "a phone": phone } as const;

// Rotation that would drop keys, in the pages of an owner.
describe("a rotation that drops keys", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let cleo: Person;

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ada = await makeAda(service);
    await beginList(ada);
    const add = async (email: string, name: string) => {
      const person = await equip(service, await addPerson(service, ada.account, email, { role: "manager" }, name));
      await addToList(ada, person, "manager");
      return person;
    };
    bo = await add("bo@example.com", "Bo Example");
    cleo = await add("cleo@example.com", "Cleo");
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const openKeys = async (formId: string, screen: keyof typeof screens) => {
    const page = await openBrowserOf(ada, dashboard, screens[screen]);
    await page.goto(`/forms/${formId}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    return page;
  };
  const questionOf = (page: Page) => page.getByRole("alert").filter({ hasText: "would be left behind" });
  const readersIn = async (page: Page) => (await questionOf(page).getByRole("listitem").allTextContents()).toSorted();
  const versionsOf = async (formId: string) => (await ada.client.forms.keys(formId)).map(({ version }) => version);

  for (const screen of ["a computer", "a phone"] as const)
    test(`on ${screen}: the newest version is in no envelope: the page names it, and all who would read the next one, asks again once others would, and rotates then`, async () => {
      const form = await makeSealedForm(ada, `Vote on ${screen}`, [bo]);
      // An owner may; or the server hides the revision after.
      await ada.client.forms.rotateKeys(form.id, {
        publicKey: takeKeyPair().publicKey,
        keyVersion: 2,
        withoutEnvelope: true,
      });
      const page = await openKeys(form.id, screen);
      await button(page, "Make the new key").click();
      await questionOf(page).getByText("The key of version 2 would be left behind").waitFor();
      await questionOf(page).getByText("This form already has version 2").waitFor();
      await questionOf(page).getByText("ask the person who rotated this form last").waitFor();
      assert.deepEqual(await readersIn(page), ["Ada Example", "Bo Example"]);
      await check(page, `the newest version is in no envelope, on ${screen}`);
      assert.deepEqual((await versionsOf(form.id)).toSorted(), [1, 2], "nothing was sent");

      await addReader(form.id as FormId);
      const sure = button(page, "Rotate for these people, without these keys");
      await sure.click();
      await page.getByRole("alert").filter({ hasText: "The envelope was changed elsewhere meanwhile" }).waitFor();
      await button(page, "Make the new key").click();
      await questionOf(page).getByText("Cleo").waitFor();
      assert.equal((await readersIn(page)).length, 3);
      await sure.click();
      await page.getByRole("heading", { name: "Rotate with the envelope" }).waitFor();
      await button(page, "Rotate to version 3").click();
      await page.getByText("Version 3 is now current").waitFor();
      assert.deepEqual(await readersOf(form.id as FormId), [ada, bo, cleo].map(({ account }) => account.id).toSorted());

      await button(page, "Make the new key").click();
      await button(page, "Rotate to version 4").waitFor();
      assert.equal(await questionOf(page).count(), 0, "now the newest version is open");
      await page.context().close();
    });

  for (const screen of ["a computer", "a phone"] as const)
    test(`on ${screen}: a key that is put in is for readers whom the page names, asks again about once they are others, and seals for then`, async () => {
      const form = await makeSealedForm(ada, `Poll on ${screen}`, [bo]);
      const { publicKey, privateKey } = takeKeyPair();
      await ada.client.forms.rotateKeys(form.id, { publicKey, keyVersion: 2, withoutEnvelope: true });
      const about = { formId: form.id, formName: form.name, keyVersion: 2, createdAt: 1 };
      const keyFile = JSON.stringify(await createKeyFile({ ...about, privateKey }));
      const page = await openKeys(form.id, screen);
      await button(page, "Put the key into your envelope").click();
      const dialog = page.getByRole("dialog");
      const named = dialog.getByRole("list", { name: "Who reads with the key of version 2" });
      assert.equal(await named.count(), 0);
      await page.setInputFiles("dialog input[type=file]", {
        name: "v2.key.json",
        mimeType: "",
        buffer: Buffer.from(keyFile),
      });
      await named.waitFor();
      const readNames = async () => (await named.getByRole("listitem").allTextContents()).toSorted();
      assert.deepEqual(await readNames(), ["Ada Example", "Bo Example"]);
      await dialog.getByText("somebody in this list may have been taken out since").waitFor();
      await check(page, `who reads with a key that is put in, on ${screen}`);

      await addReader(form.id as FormId);
      const put = dialog.getByRole("button", { name: "Put it in" });
      await put.click();
      await dialog.getByRole("alert").filter({ hasText: "The envelope was changed elsewhere meanwhile" }).waitFor();
      await named.getByText("Cleo").waitFor();
      assert.deepEqual(await readNames(), ["Ada Example", "Bo Example", "Cleo"]);

      await removeFromList(ada, cleo);
      await put.click();
      await dialog.getByRole("alert").filter({ hasText: "Others would read by now than you were shown" }).waitFor();
      await named.getByText("Cleo").waitFor({ state: "detached" });
      await check(page, `others would read with a key that is put in, on ${screen}`);
      assert.deepEqual(await versionsIn(form.id as FormId), [1], "nothing was sent");
      await put.click();
      await page.getByText("The envelope now has version 2").waitFor();
      assert.deepEqual(await versionsIn(form.id as FormId), [1, 2]);
      assert.deepEqual(await readersOf(form.id as FormId), [ada, bo].map(({ account }) => account.id).toSorted());
      await addToList(ada, cleo, "manager");
      await page.context().close();
    });

  test("nothing of an envelope opens: the page names its versions, who stored it, and all who would read the next one, and rotates once that was said", async () => {
    const form = await makeSealedForm(ada, "Survey");
    // As many rotations take a while.
    const { database } = dashboard.service;
    const [first = assert.fail()] = await database
      .selectFrom("form_key")
      .selectAll()
      .where("form_id", "=", form.id)
      .execute();
    const versions = Array.from({ length: 32 }, (_, index) => index + 2);
    const others = versions.map((version) => ({ ...first, version, fingerprint: `${version}` }));
    await database.insertInto("form_key").values(others).execute();
    await database.updateTable("form").set({ key_version: 33 }).where("id", "=", form.id).execute();
    const sealing = new Encrypter();
    sealing.addRecipient((await generatePersonalKey()).recipient);
    const bos = createClient({ baseUrl: dashboard.service.url, token: bo.account.token });
    await bos.envelopes.put(form.id, 33, await sealing.encrypt("nobody's keys"), undefined);

    const page = await openKeys(form.id, "a phone");
    await button(page, "Make the new key").click();
    await questionOf(page).getByText("The keys of version 2 to 33 would be left behind").waitFor();
    await questionOf(page).getByText("an envelope of which no revision opens with your key").waitFor();
    await questionOf(page).getByText("Its revisions were stored by Bo Example").waitFor();
    assert.deepEqual(await readersIn(page), ["Ada Example"]);
    await check(page, "nothing of an envelope opens");
    assert.equal((await ada.client.envelopes.getNewest(form.id, 33))?.revision, 1, "nothing was sent");
    await button(page, "Rotate for these people, without these keys").click();
    await page.getByRole("heading", { name: "Rotate with the envelope" }).waitFor();
    await button(page, "Rotate to version 34").click();
    await page.getByText("Version 34 is now current").waitFor();
    assert.equal((await ada.client.envelopes.getNewest(form.id, 33))?.revision, 2);
    await page.context().close();
  });

  async function openNewest(formId: FormId) {
    const list = await findList(ada);
    const firstVersion = 1;
    const { file, revision } = (await ada.client.envelopes.getNewest(formId, firstVersion)) ?? assert.fail();
    const opened = await openEnvelope(file, ada.own.key.identity, { list, formId, firstVersion, revision });
    return opened instanceof RefusalError ? assert.fail(opened.reason) : { list, opened };
  }

  async function readersOf(formId: FormId): Promise<readonly string[]> {
    return (await openNewest(formId)).opened.content.readers.map(({ id }) => id);
  }

  const versionsIn = async (formId: FormId) =>
    (await openNewest(formId)).opened.content.keys.map(({ version }) => version);

  /** Somebody else lets Cleo read meanwhile. */
  async function addReader(formId: FormId): Promise<void> {
    const { list, opened: previous } = await openNewest(formId);
    const { id } = ada.account;
    const signer = await toSigner({ id, key: ada.own.key });
    const readerIds = [ada, bo, cleo].map(({ account }) => account.id);
    const next = await sealEnvelope({ list, signer, formId, readerIds, keys: [], previous });
    await ada.client.envelopes.put(formId, 1, next.file, previous.head);
  }
});
