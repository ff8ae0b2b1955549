import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createKeyLogEntry, generatePersonalKey, importSigningKey } from "@sealpost/envelope";
import { createClient, createKeyFile } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { startSite, type TestSite, untilState } from "../../packages/embed/testing/browser.ts";
import { plantKeyLogEntry } from "../../packages/server/src/forms/testing/plant-key-log.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { beginList, equip, makeSealedForm, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, person, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("key logs", () => {
  let dashboard: Dashboard;
  let site: TestSite;
  let ada: Person;

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    site = await startSite(dashboard.browser);
    ada = await equip(service, await service.signUp(person.email, person.name));
    await beginList(ada);
  });
  after(async () => {
    await site.close();
    await dashboard.close();
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();

  test("a page keeps its snippet through a rotation: it seals to the new key, which opens what came", async () => {
    const form = await makeSealedForm(ada, "Works council");
    const page = await openBrowserOf(ada, dashboard);
    await page.goto(`/forms/${form.id}/keys`);
    await page.getByText("This form has no key log").waitFor();
    await unlockWithSheet(page, ada.own.sheet);
    await check(page, "no key log");
    await button(page, "Begin a key log").click();
    await page.getByText("The key log has begun").waitFor();
    await page.getByText("Entry 1, key version 1").waitFor();
    await page.getByText("Sign every entry, and say who else signs: Ada Example.").waitFor();
    await check(page, "a key log");
    await follow(page, "Embed");
    const code = page.locator("pre", { hasText: "Sealpost.init" });
    await page.getByLabel("Accept whatever key continues the key log").waitFor();
    await code.filter({ hasText: "keyLog" }).waitFor();
    const snippet = (await code.textContent()) ?? "";
    assert.match(snippet, /\/embed\/sealpost-key-log-[\d.]+-[0-9a-f]{16}\.js" integrity="sha384-/);
    assert.match(snippet, /\{"keyLog":"1-[\w-]{43}"\}/);
    await page.getByRole("tab", { name: "React" }).click();
    await page.locator("pre", { hasText: 'import "@sealpost/embed/key-log";' }).waitFor();

    const visitor = await site.open(`<form><input name="vote"><button>Send</button></form>${snippet}`);
    const vote = async (text: string) => {
      await visitor.fill("input", text);
      const posted = visitor.waitForRequest((request) => request.method() === "POST");
      await visitor.click("button");
      const { keyVersion } = (await posted).postDataJSON();
      await untilState(visitor, "sent");
      return keyVersion;
    };
    assert.equal(await vote("before the rotation"), 1);
    await follow(page, "Keys");
    await button(page, "Make the new key").click();
    await button(page, "Rotate to version 2").waitFor();
    await page.getByText("Pages that name the form's key log accept the new key by themselves").waitFor();
    const refusing = page.getByText(/change the snippet first|sends nothing from now on/);
    assert.equal(await refusing.count(), 0);
    await button(page, "Rotate to version 2").click();
    await page.getByText("Version 2 is now current").waitFor();
    await page.getByText("Pages that name the form's key log need nothing new").waitFor();
    assert.equal(await refusing.count(), 0);
    await page.getByText("Entry 2, key version 2").waitFor();
    await visitor.reload();
    assert.equal(await vote("after the rotation"), 2);
    await follow(page, "Submissions");
    for (const text of ["before the rotation", "after the rotation"]) await page.getByText(text).first().waitFor();

    // The log can't go back to before the entry that this browser has seen.
    const older = new TextDecoder().decode(await ada.client.forms.keyLog(form.id)).split("\n");
    await intercept(page, /keys\/log/, async (route) =>
      route.fulfill({ response: await route.fetch(), body: `${older.slice(0, 2).join("\n")}\n` }),
    );
    await page.goto(`/forms/${form.id}/keys`);
    await page.getByText("The server shows an older key log than this browser has seen").waitFor();
    await check(page, "an older key log");
    await intercept(page, /keys\/log/, (route) =>
      route.fulfill({ status: 404, json: { error: "not_found", message: "None", code: "key_log_none" } }),
    );
    await page.reload();
    await page.getByText("The server shows no key log for this form, and this browser has seen one").waitFor();
    await page.context().close();
  });

  test("a log that a stranger may continue is named by no snippet, its signers are shown, and an owner takes them out", async () => {
    const form = await makeSealedForm(ada, "Complaints");
    const stranger = await generatePersonalKey();
    const made = await ada.account.request("POST", "/api/api-keys", {
      name: "Site",
      permissions: ["forms:read", "forms:write"],
    });
    const thief = createClient({ baseUrl: dashboard.service.url, token: made.body.key.key });
    const [published = assert.fail()] = await thief.forms.keys(form.id);
    const { version, fingerprint, hybridFingerprint = null } = published;
    const entry = await createKeyLogEntry(
      undefined,
      {
        formId: form.id,
        key: { version, fingerprint, hybridFingerprint, replyKey: null },
        owners: [stranger.signingKey, ada.own.key.signingKey],
        managers: [],
      },
      { publicKey: stranger.signingKey, signingKey: await importSigningKey(stranger.signingSeed) },
    );
    // The service refuses a signer whom the list does not have; one that lies shows such a log all the same.
    await assert.rejects(thief.forms.addKeyLogEntry(form.id, entry), { reason: "key_log_entry_refused" });
    await plantKeyLogEntry(dashboard.service.database, form.id, entry);

    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`/forms/${form.id}/keys`);
    // A browser that has seen nothing vouches for nobody.
    await page.getByText("2 keys that may sign the next entry are of nobody whom this browser knows").waitFor();
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("1 key that may sign the next entry is of nobody whom this browser knows").waitFor();
    await page
      .getByRole("list", { name: "Keys that nobody here vouches for" })
      .getByText(stranger.signingKey)
      .waitFor();
    for (const said of ["for the option keyLog", "The snippet is on the page Embed", "no such role in the list"])
      assert.equal(await page.getByText(said).count(), 0, said);
    await check(page, "a stranger signs");
    await follow(page, "Embed");
    await page.getByText("The snippet names the fingerprint, and not the key log").waitFor();
    const code = page.locator("pre", { hasText: "Sealpost.init" });
    await code.filter({ hasText: fingerprint }).waitFor();
    assert.doesNotMatch((await code.textContent()) ?? "", /keyLog/);
    assert.equal(await page.getByLabel("Accept whatever key continues the key log").count(), 0);
    await check(page, "a snippet without the log");
    await follow(page, "Keys of this form");
    await button(page, "Sign a new entry").click();
    await page
      .getByText("Sign every entry, and say who else signs: Ada Example. The snippet is on the page Embed.")
      .waitFor();
    await check(page, "a renewed key log");
    await follow(page, "Embed");
    await code.filter({ hasText: /"keyLog":"2-/ }).waitFor();
    await page.context().close();
  });

  test("a form of key files begins a log and is rotated with its next entry; an owner gives the log up", async () => {
    const pair = takeKeyPair();
    const form = await ada.client.forms.create({ name: "Contact", publicKey: pair.publicKey });
    const { id: formId, name: formName } = form;
    const parts = { formId, formName, keyVersion: 1, createdAt: 1, privateKey: pair.privateKey };
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`/forms/${formId}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("Unlock the form's newest key first").waitFor();
    await check(page, "no key log of a locked form");
    await button(page, "Unlock a version").click();
    const buffer = Buffer.from(JSON.stringify(await createKeyFile(parts)));
    await page.setInputFiles("dialog input[type=file]", { name: "form.key.json", mimeType: "", buffer });
    await button(page, "Begin a key log").click();
    await page.getByText("Entry 1, key version 1").waitFor();
    await page.getByText("Pages that name the log need no new snippet").waitFor();
    await button(page, "Make the new key").click();
    const download = page.waitForEvent("download");
    await button(page, "Download key file").click();
    const saved = await (await download).path();
    await page.setInputFiles("main input[type=file]", saved);
    await button(page, "Rotate to version 2").click();
    await page.getByText("Entry 2, key version 2").waitFor();
    await button(page, "Give the key log up…").click();
    await check(page, "giving a key log up");
    await button(page, "Give it up").click();
    await page.getByText("This form has no key log").waitFor();
    await check(page, "a key log that was given up");
    await page.context().close();
  });
});
