import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createKeyFile, generateHybridKeyPair, generateKeyPair } from "@sealpost/sdk";
import { createId, decodeBase64, seal, sealHybrid } from "@sealpost/wire";
import { Encrypter } from "age-encryption";
import { dashboardFolder } from "../../packages/dashboard/build.ts";
import { openerFile } from "../../packages/dashboard/build-opener.ts";
import { hybridSeedOf } from "../../packages/envelope/src/recipient.ts";
import { toSheet } from "../../packages/envelope/src/recovery-sheet.ts";
import { envelopes, keyCopies } from "../../packages/envelope/src/testing/conformance.ts";
import { formId } from "../../packages/envelope/src/testing/envelope-maker.ts";
import { vectorKeys } from "../../packages/wire/src/testing/vector-keys.ts";
import { findVector } from "../support/mutant-maker.ts";
import { findEngines } from "./engines.ts";
import { createTab, type Tab } from "./tab.ts";

// `npm run test:browsers`: the opener, from the disk.

const engines = await findEngines();

for (const engine of engines)
  test(`${engine.name} ${engine.version} opens an export from the disk with a key file that has a passphrase`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "sealpost-opener-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const [rsa, hybrid] = [await generateKeyPair(), await generateHybridKeyPair()];
    const formId = createId("form");
    const line = (id: string, payload: object) =>
      JSON.stringify({
        id,
        formId,
        keyVersion: 1,
        payload,
        timestamp: 1_700_000_000_000,
        receivedAt: 1_700_000_000_000,
      });
    const [first, second] = [createId("submission"), createId("submission")];
    const bind = (submissionId: typeof first) => ({ formId, keyVersion: 1, submissionId });
    const lines = [
      line(first, await seal({ name: "Zoë of sp1" }, bind(first), rsa.publicKey)),
      line(second, await sealHybrid({ name: "Zoë of sp2" }, bind(second), hybrid.publicKey)),
    ];
    writeFileSync(join(folder, "export.ndjson"), lines.join("\n"));
    const about = { formId, formName: "Contact", keyVersion: 1, createdAt: 1 };
    const key = await createKeyFile({ ...about, privateKey: rsa.privateKey, hybridPrivateKey: hybrid.privateKey });
    const encrypter = new Encrypter();
    encrypter.setPassphrase("correct horse");
    encrypter.setScryptWorkFactor(10);
    writeFileSync(join(folder, "contact.key.json.age"), await encrypter.encrypt(JSON.stringify(key)));

    const driver = await engine.start();
    t.after(() => driver.close());
    const tab = createTab(driver);
    await openPage(tab);
    await driver.choose('input[type=file][aria-label="Choose files"]', [join(folder, "export.ndjson")]);
    await tab.see({ text: "2 submissions of 1 form" });
    await driver.choose('input[type=file][aria-label="Choose key file"]', [join(folder, "contact.key.json.age")]);
    await tab.fill("Passphrase", "correct horse");
    await tab.click({ button: "Unlock" });
    await tab.see({ text: "Zoë of sp1" });
    await tab.see({ text: "Zoë of sp2" });
    assert.deepEqual(await tab.run(() => Reflect.get(window, "complaints")), []);
  });

for (const engine of engines)
  test(`${engine.name} ${engine.version} opens an envelope from the disk with the copy of a personal key and its typed sheet`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "sealpost-opener-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const binding = { formId, keyVersion: 1, submissionId: createId("submission") };
    const payload = await seal({ name: "Zoë of sp1" }, binding, vectorKeys.small.publicKey);
    const { submissionId: id, ...rest } = binding;
    writeFileSync(join(folder, "export.ndjson"), JSON.stringify({ id, ...rest, payload, timestamp: 1, receivedAt: 1 }));
    const envelope = findVector(envelopes, "envelope: readers with hybrid keys").envelope;
    const { copy, secret } = findVector(keyCopies, "copy: a sheet");
    writeFileSync(join(folder, "contact.envelope.age"), decodeBase64(envelope) ?? "");
    writeFileSync(join(folder, "ada.copy.age"), decodeBase64(copy) ?? "");
    assert.ok("identity" in secret);
    const sheet = await toSheet("personal", hybridSeedOf(secret.identity) ?? new Uint8Array());

    const driver = await engine.start();
    t.after(() => driver.close());
    const tab = createTab(driver);
    await openPage(tab);
    await driver.choose('input[type=file][aria-label="Choose files"]', [join(folder, "export.ndjson")]);
    const files = ["contact.envelope.age", "ada.copy.age"].map((name) => join(folder, name));
    await driver.choose('input[type=file][aria-label="Choose key file"]', files);
    await tab.see({ text: "2 files wait for what opens them" });
    await tab.click({ button: "Paste or type the key instead" });
    await tab.fill("Private key", sheet.lines.join(" "));
    await tab.click({ button: "Use this key" });
    await tab.see({ text: "Zoë of sp1" });
    await tab.see({ text: "1 envelope is open, and nobody checked here who wrote it" });
    assert.deepEqual(await tab.run(() => Reflect.get(window, "complaints")), []);
  });

/** The opener from the disk, which notes what its policy refuses. */
async function openPage(tab: Tab): Promise<void> {
  await tab.driver.navigate(pathToFileURL(join(dashboardFolder, openerFile)).href);
  await tab.run(() => {
    const complaints: string[] = [];
    Reflect.set(window, "complaints", complaints);
    addEventListener("error", ({ message }) => complaints.push(message));
    addEventListener("securitypolicyviolation", ({ violatedDirective }) => complaints.push(violatedDirective));
  });
  await tab.see({ button: "Choose files" });
}
