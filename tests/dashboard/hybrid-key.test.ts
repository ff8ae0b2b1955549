import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyFile } from "@sealpost/sdk";
import { createId, type FormId, sealHybrid } from "@sealpost/wire";
import { firstHybridPair } from "../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createAccount, startDashboard, submit } from "./dashboard.ts";

test("a key file with a hybrid key opens what is sealed to RSA, in every tab and, remembered, after a reload; other rows stay sealed and say what opens them, and rotating warns that the new version has no hybrid key", async (t) => {
  const dashboard = await startDashboard();
  t.after(() => dashboard.close());
  const { service } = dashboard;
  const client = await createAccount(service);
  const pair = takeKeyPair();
  const hybridPublicKey = firstHybridPair.publicKey;
  const form = await client.forms.create({ name: "Contact", publicKey: pair.publicKey, hybridPublicKey });
  const formId = form.id as FormId; // as the service made it
  await submit(service, form, { message: "Sealed to RSA" });
  const submissionId = createId("submission");
  const binding = { formId, keyVersion: 1, submissionId };
  const payload = await sealHybrid({ message: "Sealed to both" }, binding, hybridPublicKey);
  const body = { id: submissionId, payload, keyVersion: 1 };
  assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body })).status, 201);
  const keyFile = await createKeyFile({
    formId,
    formName: "Contact",
    keyVersion: 1,
    createdAt: 1,
    privateKey: pair.privateKey,
    hybridPrivateKey: firstHybridPair.privateKey,
  });
  const page = await dashboard.signIn(`/forms/${formId}`);
  await page.getByLabel("Remember on this device").check();
  const buffer = Buffer.from(JSON.stringify(keyFile));
  await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer });
  const isOpened = async (shown: typeof page) => {
    await shown.getByText("Sealed to RSA").waitFor();
    await shown.getByText("Opening").waitFor({ state: "detached" });
    assert.equal(await shown.getByText("Sealed to both").count(), 0);
  };
  await isOpened(page);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByText("Unknown format").first().click();
  await page.getByText("the command line opens it").waitFor();
  assert.equal(await page.getByRole("button", { name: "Add a key" }).count(), 0);
  await page.keyboard.press("Escape");
  const second = await page.context().newPage();
  await second.goto(page.url());
  await isOpened(second);
  await page.reload();
  await isOpened(page);
  await page.goto(new URL(`/forms/${formId}/keys`, page.url()).href);
  await page.getByText("Version 1 has a hybrid key, against quantum computers. A version made here has none").waitFor();
  assert.deepEqual(dashboard.complaints, []);
  await page.context().close();
});
