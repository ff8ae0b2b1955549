import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyFile } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { firstHybridPair } from "../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createAccount, type Dashboard, startDashboard, submit, submitHybrid } from "./dashboard.ts";

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
  await page.getByText("Sealed to RSA").waitFor();
  await page.getByText("Sealed to both").waitFor();
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
