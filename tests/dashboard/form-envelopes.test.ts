import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { generatePersonalKey, importSigningKey, openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { type Client, createClient, createKeyFile } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import { Encrypter } from "age-encryption";
import type { Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { findList, makeAda, type Person, recordRequests } from "../support/people.ts";
import { type MadePersonalKey, unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, submit } from "./dashboard.ts";
import { loseAnswers } from "./lose-answers.ts";

describe("forms with envelopes", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let client: Client;
  let own: MadePersonalKey;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    ada = await makeAda(dashboard.service);
    ({ client, own } = ada);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (path: string, options?: Parameters<Dashboard["signIn"]>[1]) =>
    sent.record(await dashboard.signIn(path, options));

  const file = (text: string, name = "form.key.json") => ({ name, mimeType: "", buffer: Buffer.from(text) });

  test("a key file is put into an envelope, which opens the form by itself from then on, and is taken away and put back without an answer", async () => {
    const pair = takeKeyPair();
    const form = await client.forms.create({ name: "Works council", publicKey: pair.publicKey });
    await submit(dashboard.service, form, { vote: "yes-please" });
    const keyFile = JSON.stringify(
      await createKeyFile({
        formId: form.id,
        formName: form.name,
        keyVersion: 1,
        createdAt: 1,
        privateKey: pair.privateKey,
      }),
    );
    const page = await open(`/forms/${form.id}/keys`);
    await page.getByText("Unlock your personal key to see who reads").waitFor();
    await check(page, "envelope locked");
    await unlockWithSheet(page, own.sheet);
    await page.getByText("This form has no envelope").waitFor();
    await check(page, "no envelope");
    await button(page, "Put the key into your envelope").click();
    await page.setInputFiles("dialog input[type=file]", file(keyFile));
    await page.getByText("Version 1 will be put in").waitFor();
    await check(page, "bring a key");
    await button(page, "Put it in").click();
    await page.getByText("The envelope now has version 1").waitFor();
    await page.getByText("written by Ada Example").waitFor();
    await check(page, "an envelope");
    await button(page, "Take the envelope away…").click();
    assert.equal(await button(page, "Take the envelope away").isDisabled(), true, "not before the key is proved");
    await page.getByLabel("Passphrase", { exact: true }).fill("a passphrase");
    await page.getByLabel("Passphrase once more").fill("a passphrase");
    const download = page.waitForEvent("download");
    await button(page, "Save key files").click();
    const saved = await download;
    assert.equal(saved.suggestedFilename(), "sealpost-works-council-v1.key.json.age");
    await page.setInputFiles("dialog input[type=file]", await saved.path());
    const proof = page.locator("dialog form").nth(1);
    await proof.getByLabel("Passphrase").fill("a passphrase");
    await proof.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("Proved: 1").waitFor();
    await check(page, "take the envelope away");
    // Without the answer too this browser knows that it was taken away here, and doesn't say that the server hides it.
    const find = await loseAnswers(page, `**/api/forms/${form.id}/envelopes**`);
    await button(page, "Take the envelope away").click();
    await page.getByText("From now on key files alone open this form").waitFor();
    await button(page, "Put the envelope back").click();
    await page.getByText("written by Ada Example").waitFor();
    await find();
    await page.getByText("written by Ada Example").waitFor();
    await page.getByRole("link", { name: "Submissions", exact: true }).click();
    await page.getByText("yes-please").waitFor();
    // A tab that has asked for no personal key is open by the form's, and is locked as soon as no tab has it.
    await moveToBin(page, form.id);
    await submit(dashboard.service, form, { vote: "no-thanks" });
    const bin = await page.context().newPage();
    await bin.goto(`/forms/${form.id}/bin`);
    await bin.getByText("yes-please").first().waitFor();
    await page.close();
    await bin.getByText("yes-please").first().waitFor({ state: "hidden" });
    await bin.context().close();
    const small = await open(`/forms/${form.id}`, phone);
    await small.getByText("Open with your key").waitFor();
    await check(small, "locked form with an envelope");
    await unlockWithSheet(small, own.sheet);
    await small.getByText("no-thanks").first().waitFor();
  });

  test("an owner takes away what a manager has stored in the place of the first envelope, once a file of each key of the form is proved, and it can be put back", async () => {
    const [first, second] = [takeKeyPair(), takeKeyPair()];
    const form = await client.forms.create({ name: "Key files", publicKey: first.publicKey });
    await client.forms.rotateKeys(form.id, { publicKey: second.publicKey, keyVersion: 2 });
    const files = await Promise.all(
      [first, second].map(async ({ privateKey }, index) => {
        const about = { formId: form.id, formName: form.name, keyVersion: index + 1, createdAt: 1 };
        return file(JSON.stringify(await createKeyFile({ ...about, privateKey })), `v${index + 1}.key.json`);
      }),
    );
    const manager = await addPerson(dashboard.service, ada.account, "bo@example.com", { role: "manager" }, "Bo");
    const sealing = new Encrypter();
    sealing.addRecipient((await generatePersonalKey()).recipient);
    const others = createClient({ baseUrl: dashboard.service.url, token: manager.token });
    await others.envelopes.put(form.id, 1, await sealing.encrypt("nobody's keys"), undefined);
    const page = await open(`/forms/${form.id}/keys`, phone);
    await unlockWithSheet(page, own.sheet);
    await button(page, "Take the envelope away…").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("nobody knows which keys are in it").waitFor();
    await check(page, "take away an envelope that can't be used");
    const remove = button(page, "Take the envelope away");
    await page.setInputFiles("dialog input[type=file]", files.slice(1));
    await dialog.getByText("Still to prove: 1").waitFor();
    assert.equal(await remove.isDisabled(), true, "not before each is proved");
    await page.setInputFiles("dialog input[type=file]", files.slice(0, 1));
    await dialog.getByText("Still to prove").waitFor({ state: "detached" });
    await remove.click();
    await page.getByText("From now on key files alone open this form").waitFor();
    assert.deepEqual(await client.envelopes.list(form.id), []);
    await button(page, "Put the key into your envelope").waitFor();
    await button(page, "Put the envelope back").click();
    await button(page, "Take the envelope away…").waitFor();
    await page.context().close();
  });

  test("on a phone a form takes one screen, unlocked on the spot; it is rotated with its envelope, also after somebody else changed that", async () => {
    const page = await open("/forms/new", phone);
    await page.getByRole("textbox", { name: "Name" }).fill("Staff survey");
    await check(page, "new form");
    await button(page, "Create form").click();
    await page.getByRole("heading", { name: "Unlock your key first" }).waitFor();
    await check(page, "new form locked");
    await unlockWithSheet(page, own.sheet);
    await page.getByText("Waiting for the first submission").waitFor();
    const form = (await client.forms.list()).forms.find(({ name }) => name === "Staff survey") ?? assert.fail();
    const [first = assert.fail()] = await client.forms.keys(form.id);
    assert.ok(first.provedAt !== null && first.hybridPublicKey !== undefined);
    await submit(dashboard.service, { id: form.id, publicKey: first.publicKey }, { vote: "under-one" });
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByText("Revision 1").waitFor();
    await button(page, "Make the new key").click();
    await page.getByRole("heading", { name: "Rotate with the envelope" }).waitFor();
    await check(page, "rotate with the envelope");
    await nextRevision(form.id as FormId);
    await button(page, "Rotate to version 2").click();
    await page
      .getByRole("alert")
      .filter({ hasText: "The envelope or its readers changed after you were shown who would read" })
      .waitFor();
    await page.getByText("Revision 2").waitFor();
    await button(page, "Rotate to version 2").click();
    await page.getByText("Version 2 is now current. Older submissions open as before.").waitFor();
    await page.getByText("Revision 3").waitFor();
    const second = (await client.forms.keys(form.id)).find(({ version }) => version === 2) ?? assert.fail();
    await submit(dashboard.service, { id: form.id, publicKey: second.publicKey }, { vote: "under-two" }, 2);
    await page.getByRole("link", { name: "Submissions", exact: true }).click();
    for (const vote of ["under-one", "under-two"]) await page.getByText(vote).first().waitFor();
    // One lock for everything.
    await button(page, "Lock").click();
    await button(page, "Open this form").click();
    await page.getByText("under-two").first().waitFor();
    const seen = await readHeads(page);
    assert.ok(Object.keys(seen).some((name) => name.endsWith(` form ${form.id}`)) && Object.keys(seen).length > 2);
    await button(page, "Account menu").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You are signed out").waitFor();
    assert.deepEqual(await readHeads(page), seen, "the next person still recognizes an older list by them");
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  });

  /** All submissions of a form. */
  async function moveToBin(page: Page, formId: string): Promise<void> {
    const status = await page.evaluate(async (path) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ before: Date.now() + 60_000 });
      return (await fetch(path, { method: "POST", headers, body })).status;
    }, `/api/forms/${formId}/submissions/bin`);
    assert.equal(status, 200);
  }

  /** The newest that this browser has seen of lists, envelopes and people's keys, by name. */
  function readHeads(page: Page): Promise<Record<string, unknown>> {
    return page.evaluate(async () => {
      const settled = <Result>(request: IDBRequest<Result>) =>
        new Promise<Result>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await settled(indexedDB.open("sealpost-heads"));
      const store = database.transaction("heads").objectStore("heads");
      const [names, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
      database.close();
      return Object.fromEntries(names.map((name, index) => [name, values[index]]));
    });
  }

  /** Somebody else writes the envelope meanwhile, with the same keys. */
  async function nextRevision(formId: FormId): Promise<void> {
    const list = await findList(ada);
    const { file, revision } = (await client.envelopes.getNewest(formId, 1)) ?? assert.fail();
    const previous = await openEnvelope(file, own.key.identity, { list, formId, firstVersion: 1, revision });
    assert.ok(!(previous instanceof RefusalError));
    const { signedBy } = previous.content;
    const signer = { id: signedBy, signingKey: await importSigningKey(own.key.signingSeed) };
    const next = await sealEnvelope({ list, signer, formId, readerIds: [signedBy], keys: [], previous });
    await client.envelopes.put(formId, 1, next.file, previous.head);
  }

  test("no part of a private key was in any request of these pages", () => {
    const requests = sent.all();
    const { identity, signingSeed } = own.key;
    for (const secret of [identity, signingSeed, own.sheet.identity, ...own.sheet.lines, '"d":', '"priv":'])
      assert.ok(!requests.includes(secret));
    assert.match(requests, /"envelope":"/, "control: envelopes were sent");
  });
});
