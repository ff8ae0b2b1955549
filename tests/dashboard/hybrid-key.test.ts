import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createKeyFile, type KeyFile } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { firstHybridPair } from "../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { assertAccessible, createAccount, type Dashboard, startDashboard, submit, submitHybrid } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

/** A form with both keys, a submission sealed to each, and its key file. */
async function createMixedForm(dashboard: Dashboard) {
  const { service } = dashboard;
  const client = await createAccount(service);
  const pair = takeKeyPair();
  const hybridPublicKey = firstHybridPair.publicKey;
  const form = await client.forms.create({ name: "Contact", publicKey: pair.publicKey, hybridPublicKey });
  await submit(service, form, { message: "Sealed to RSA" });
  await submitHybrid(service, form, { message: "Sealed to both" }, hybridPublicKey);
  const keyFile = await createKeyFile({
    formId: form.id,
    formName: "Contact",
    keyVersion: 1,
    createdAt: 1,
    privateKey: pair.privateKey,
    hybridPrivateKey: firstHybridPair.privateKey,
  });
  return { form, pair, keyFile };
}

/** The key file, or a part of it, as the owner chooses it. */
const bring = (page: Page, keyFile: object) =>
  page.setInputFiles("input[type=file]", {
    name: "key.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(keyFile)),
  });

/** Both rows are open, and nothing is left to open. */
async function areOpened(page: Page): Promise<void> {
  await page.getByText("Sealed to RSA").first().waitFor();
  await page.getByText("Sealed to both").first().waitFor();
}

test("a key file with a hybrid key opens what is sealed to either key, in every tab and, remembered, after a reload; neither half can be read out, and locking forgets both", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const { form, keyFile } = await createMixedForm(dashboard);
  const page = await dashboard.signIn(`/forms/${form.id}`);
  await page.getByLabel("Remember on this device").check();
  await bring(page, keyFile);
  await areOpened(page);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await areOpened(second);
  await page.reload();
  await areOpened(page);
  assert.deepEqual(await page.evaluate(listRemembered), [
    ["cryptoKey", "RSA-OAEP", false],
    ["mlKem", "ML-KEM-768", false],
    ["x25519", "X25519", false],
  ]);
  await page.getByRole("button", { name: "Lock" }).click();
  for (const tab of [page, second]) await tab.getByText("These submissions are sealed").waitFor();
  assert.deepEqual(await page.evaluate(listRemembered), []);
  assert.deepEqual(dashboard.complaints, []);
  await page.context().close();
});

test("without the hybrid key, as in an old key file, its rows say which key they miss, and the whole file opens them too", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const { form, keyFile } = await createMixedForm(dashboard);
  const { hybridPrivateKey: _, hybridFingerprint: __, ...older } = keyFile;
  const page = await dashboard.signIn(`/forms/${form.id}`);
  await page.getByLabel("Remember on this device").check();
  await bring(page, older);
  await page.getByText("Sealed to RSA").waitFor();
  await page.getByText("No key for this version").first().click();
  await page.getByText("It was sealed to the hybrid key of version 1, which is not unlocked here").waitFor();
  await page.getByRole("button", { name: "Add a key" }).last().click();
  await page.getByLabel("Remember on this device").check();
  await bring(page, keyFile);
  await page.getByText("Sealed to both").first().waitFor();
  await page.goto(`/forms/${form.id}/keys`);
  // The older file again: it takes the hybrid key away neither here nor from what is remembered.
  await page.getByRole("button", { name: "Unlock a version" }).click();
  await page.getByLabel("Remember on this device").check();
  await bring(page, older);
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.goto(`/forms/${form.id}`);
  await areOpened(page);
  assert.deepEqual(dashboard.complaints, []);
  await page.context().close();
});

test("what was sealed to a hybrid key is exported and printed like any other, and shown in the bin", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const { form, keyFile } = await createMixedForm(dashboard);
  const page = await dashboard.signIn(`/forms/${form.id}`);
  await page.getByLabel("Remember on this device").check();
  await bring(page, keyFile);
  await areOpened(page);
  await page.getByRole("button", { name: "Export" }).click();
  for (const format of ["CSV", "JSON"]) {
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: format, exact: true }).click();
    const exported = readFileSync(await (await downloading).path(), "utf8");
    for (const answer of ["Sealed to RSA", "Sealed to both"]) assert.ok(exported.includes(answer), format);
  }
  await page.getByRole("button", { name: "Close" }).click();
  const row = page.getByRole("row").filter({ hasText: "Sealed to both" });
  await row.getByRole("button").click();
  await page.emulateMedia({ media: "print" });
  await page.getByRole("article").getByText("Sealed to both").waitFor();
  assert.equal(await page.getByRole("article").getByText("Sealed to RSA").count(), 0);
  await page.emulateMedia({ media: "screen" });
  await row.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Delete", exact: true }).first().click();
  await page.getByText("1 submission moved to the bin").waitFor();
  await page.goto(`/forms/${form.id}/bin`);
  await page.getByRole("listitem").filter({ hasText: "Sealed to both" }).waitFor();
  assert.deepEqual(dashboard.complaints, []);
  await page.context().close();
});

test("where a script that opens does not arrive, rows are not said to be changed, none is waited for, and a reload opens them", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const { form, keyFile } = await createMixedForm(dashboard);
  const page = await dashboard.signIn(`/forms/${form.id}`);
  await page.getByLabel("Remember on this device").check();
  await bring(page, keyFile);
  await areOpened(page);
  await intercept(page, "**/assets/open-worker-*", (route) => route.abort());
  await page.goto(`/forms/${form.id}`);
  await page.getByText("2 submissions could not be opened").waitFor();
  await page.getByText("Not opened yet").first().click();
  await page.getByText("This page could not load all that it needs").first().waitFor();
  assert.equal(await page.getByText("It was changed").count(), 0);
  await page.unroute("**/assets/open-worker-*");
  await page.getByRole("button", { name: "Reload" }).first().click();
  await areOpened(page);
  await page.context().close();
});

test("a form made in the dashboard has both keys in one file, proved and read together; rotating keeps the hybrid key, and can drop it after a warning", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const { service } = dashboard;
  const client = await createAccount(service);
  const page = await dashboard.signIn("/forms/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Contact");
  assert.equal(await page.getByRole("switch", { name: "Hybrid key" }).isChecked(), true);
  await page.getByRole("button", { name: "Continue" }).click();
  const first = await downloadKey(page);
  assert.equal(first.hybridFingerprint, await page.getByTestId("hybrid-fingerprint").innerText());
  await page.getByRole("button", { name: "Continue" }).click();
  // Half of the file is not the key that was made.
  const { hybridPrivateKey: _, hybridFingerprint: __, ...half } = first;
  await bring(page, half);
  await page.getByRole("alert").filter({ hasText: "not the one that was just made" }).waitFor();
  await bring(page, first);
  await page.getByText("The test value was opened").waitFor();
  await page.getByRole("button", { name: "Create form" }).click();
  await page.getByText("Waiting for the first submission").waitFor();
  const [made] = (await client.forms.list()).forms;
  assert.ok(made);
  const { id: formId } = made;
  const form = await client.forms.get(formId);
  const [version] = await client.forms.keys(formId);
  assert.deepEqual([version?.hybridFingerprint, version?.provedAt !== null], [first.hybridFingerprint, true]);

  await page.goto(`/forms/${formId}/keys`);
  const wanted = page.getByRole("switch", { name: "Hybrid key" });
  assert.equal(await wanted.isChecked(), true);
  await page.getByRole("button", { name: "Make the new key" }).click();
  const second = await downloadKey(page);
  await bring(page, second);
  await page.getByText("The test value was opened").waitFor();
  await page.getByRole("button", { name: "Rotate to version 2" }).click();
  await page.getByText("Version 2 is now current").waitFor();
  await page.getByText(second.hybridFingerprint ?? "").waitFor();
  await assertAccessible(page, "keys of a form with hybrid keys");

  for (const [index, file] of [first, second].entries()) {
    const keyVersion = index + 1;
    const { privateKey, hybridPrivateKey } = file;
    assert.ok(hybridPrivateKey);
    const { kty, n, e } = privateKey;
    await submit(service, { id: form.id, publicKey: { kty, n, e } }, { message: `RSA ${keyVersion}` }, keyVersion);
    const { priv: _, ...hybridPublicKey } = hybridPrivateKey;
    await submitHybrid(service, form, { message: `Hybrid ${keyVersion}` }, hybridPublicKey, keyVersion);
  }
  await page.goto(`/forms/${formId}`);
  await page.setInputFiles(
    "input[type=file]",
    [first, second].map((file, index) => ({
      name: `key-${index}.json`,
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(file)),
    })),
  );
  for (const message of ["RSA 1", "Hybrid 1", "RSA 2", "Hybrid 2"])
    await page.getByText(message, { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const exported = readFileSync(await (await download).path(), "utf8");
  for (const message of ["RSA 1", "Hybrid 1", "RSA 2", "Hybrid 2"]) assert.ok(exported.includes(message), message);

  await page.goto(`/forms/${formId}/keys`);
  await wanted.click();
  await page.getByText("Version 2 has a hybrid key, and the new one will have none").waitFor();
  await page.getByRole("button", { name: "Make the new key" }).click();
  assert.equal((await downloadKey(page)).hybridPrivateKey, undefined);
  assert.deepEqual(dashboard.complaints, []);
  await page.context().close();
});

test("the first hybrid key of a form with a webhook is asked for, and says what the receiver needs", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const client = await createAccount(dashboard.service);
  const { publicKey } = takeKeyPair();
  const settings = { webhookUrl: "https://receiver.example/hook" };
  const form = await client.forms.create({ name: "Contact", publicKey, settings });
  const page = await dashboard.signIn(`/forms/${form.id}/keys`);
  await page.getByText("The webhook's receiver must know hybrid keys").waitFor();
  const wanted = page.getByRole("switch", { name: "Hybrid key" });
  assert.equal(await wanted.isChecked(), false);
  await wanted.click();
  await page.getByRole("button", { name: "Make the new key" }).click();
  assert.ok((await downloadKey(page)).hybridPrivateKey);
  await page.getByRole("button", { name: "Discard the new key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard it" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // The other way round, a form that has one says so where its webhook is set.
  const hybridPublicKey = firstHybridPair.publicKey;
  const hybridForm = await client.forms.create({ name: "Vote", publicKey, hybridPublicKey });
  await page.goto(`/forms/${hybridForm.id}/webhook`);
  await page.getByText("The webhook's receiver must know hybrid keys").waitFor();
  await page.context().close();
});

async function downloadKey(page: Page): Promise<KeyFile> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download key file" }).click();
  return JSON.parse(readFileSync(await (await download).path(), "utf8"));
}

/** In the page: name, algorithm and whether it can be exported, of every CryptoKey that this browser remembers. */
async function listRemembered(): Promise<readonly (readonly [string, string, boolean])[]> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open("sealpost");
    request.onsuccess = () => resolve(request.result);
  });
  const records = await new Promise<object[]>((resolve) => {
    const request = database.transaction("keys").objectStore("keys").getAll();
    request.onsuccess = () => resolve(request.result);
  });
  database.close();
  const listKeys = (value: object): (readonly [string, string, boolean])[] =>
    Object.entries(value).flatMap(([name, member]) => {
      if (member instanceof CryptoKey) return [[name, member.algorithm.name, member.extractable] as const];
      return typeof member === "object" && member !== null ? listKeys(member) : [];
    });
  return records.flatMap(listKeys);
}
