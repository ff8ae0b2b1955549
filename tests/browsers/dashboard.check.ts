import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { person, submit } from "../dashboard/dashboard.ts";
import type { Driver } from "./driver.ts";
import { findEngines } from "./engines.ts";
import { createTab, keys, type Tab } from "./tab.ts";

// `npm run test:browsers`: what an owner does in the dashboard, once from the set-up page to signing out.

const naughty = "Zoë 😀 אבג\u202C <img src=x onerror=alert(1)>";

for (const engine of await findEngines())
  describe(`the dashboard in ${engine.name} ${engine.version}`, () => {
    const closers: (() => unknown)[] = [];
    let service: TestService;
    let driver: Driver;
    let tab: Tab;
    let formId = "";
    let keyFile = "";
    before(async () => {
      service = await createTestService(
        { after: (close) => closers.push(close as () => unknown) },
        { environment: { SEALPOST_SIGNUP: "first" } },
      );
      driver = await engine.start();
      closers.push(driver.close);
      tab = createTab(driver);
    });
    after(async () => {
      for (const close of closers.reverse()) await close();
    });

    /** Opens a page of the app, and listens from then on for what must not happen. */
    async function open(path: string): Promise<void> {
      await driver.navigate(service.url + path);
      await tab.run(() => {
        const complaints: string[] = [];
        Reflect.set(window, "complaints", complaints);
        addEventListener("error", ({ message }) => complaints.push(message));
        addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
        addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
          complaints.push(`${violatedDirective} ${blockedURI}`),
        );
      });
    }

    async function assertNoComplaints(): Promise<void> {
      assert.deepEqual(await tab.run(() => Reflect.get(window, "complaints")), []);
    }

    /** The content of the download whose name `pattern` matches, once it is whole. */
    async function downloaded(pattern: RegExp): Promise<{ readonly path: string; readonly content: string }> {
      for (let tries = 0; ; tries++) {
        const name = readdirSync(driver.downloads).find((found) => pattern.test(found));
        const path = join(driver.downloads, name ?? "");
        const content = name === undefined ? "" : readFileSync(path, "utf8");
        if (content !== "") return { path, content };
        if (tries === 200) assert.fail(`${pattern} was not saved: ${readdirSync(driver.downloads)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }

    async function unlock(): Promise<void> {
      await tab.see({ text: "These submissions are sealed" });
      await tab.until(() => document.querySelector("input[type=file]") !== null);
      await driver.choose("input[type=file]", [keyFile]);
      await tab.see({ css: "[role=table]" });
    }

    test("the first account is made by keyboard", async () => {
      await open(`/setup?token=${service.setupToken}`);
      await tab.click({ label: "Your name" });
      await tab.type(`${person.name}${keys.tab}${person.email}${keys.tab}${person.password}${keys.enter}`);
      await tab.see({ text: "Create your first form" });
      await assertNoComplaints();
    });

    test("a form is made after its key was saved as a file and proved", async () => {
      await tab.click({ button: "Create your first form" });
      await tab.fill("Name", "Works council");
      await tab.click({ button: "Continue" });
      await tab.click({ button: "Download key file" });
      const saved = await downloaded(/^sealpost-works-council-v1\.key\.json$/);
      keyFile = saved.path;
      const { privateKey } = JSON.parse(saved.content);
      await tab.click({ button: "Continue" });
      await driver.choose("input[type=file]", [keyFile]);
      await tab.see({ text: "The test value was opened" });
      await tab.click({ button: "Create form" });
      await tab.see({ text: "Waiting for the first submission" });
      formId = (await tab.run(() => /form_\w+/.exec(location.href)?.[0])) ?? "";
      const { body } = await service.request("GET", `/api/forms/${formId}/public`);
      assert.deepEqual(body.form.publicKey, { kty: "RSA", n: privateKey.n, e: privateKey.e });
      await submit(service, body.form, { name: "first", message: naughty });
      await tab.see({ text: "The first submission is here" });
      await submit(service, body.form, { name: "second", message: "another question" });
      await assertNoComplaints();
    });

    test("a key file with a passphrase is opened by the passphrase", async () => {
      await open("/forms/new");
      await tab.fill("Name", "With a passphrase");
      await tab.click({ button: "Continue" });
      await tab.click({ label: "Protect the file with a passphrase" });
      await tab.fill("Passphrase", "open sesame, please");
      await tab.fill("Passphrase once more", "open sesame, please");
      await tab.click({ button: "Download key file" });
      const { path, content } = await downloaded(/^sealpost-with-a-passphrase-v1\.key\.json\.age$/);
      assert.match(content, /^(-----BEGIN AGE|age-encryption\.org\/v1)/);
      await tab.click({ button: "Continue" });
      await driver.choose("input[type=file]", [path]);
      await tab.fill("Passphrase", `open sesame, please${keys.enter}`);
      await tab.see({ text: "The test value was opened" });
      await tab.click({ button: "Create form" });
      await tab.see({ text: "Waiting for the first submission" });
      await assertNoComplaints();
    });

    test("the key file opens the submissions, which are found by what they say and read as text", async () => {
      await open(`/forms/${formId}`);
      await unlock();
      await tab.see({ text: naughty });
      await tab.fill("Search in opened submissions", "another");
      await tab.see({ text: "1 of 2 submissions" });
      assert.equal(await tab.run((text) => document.body.innerText.includes(text), naughty), false);
      await tab.click({ css: "[role=cell] button" });
      await tab.see({ button: "Newer" });
      await assertNoComplaints();
    });

    test("what is exported is what was opened", async () => {
      await open(`/forms/${formId}`);
      await unlock();
      await tab.see({ text: naughty });
      await tab.click({ button: "Export" });
      await tab.click({ button: "CSV" });
      const csv = await downloaded(/^sealpost-works-council-[\d-]+\.csv$/);
      assert.ok(csv.content.startsWith("\uFEFF") && csv.content.includes(naughty));
      await tab.click({ button: "JSON" });
      const rows: { fields: object }[] = JSON.parse(
        (await downloaded(/^sealpost-works-council-[\d-]+\.json$/)).content,
      );
      assert.deepEqual(
        rows.map(({ fields }) => fields),
        [
          { name: "second", message: "another question" },
          { name: "first", message: naughty },
        ],
      );
      await assertNoComplaints();
    });

    test("a remembered key opens the form after a reload, cannot be read out, and signing out forgets it", async () => {
      await open(`/forms/${formId}`);
      await tab.see({ text: "These submissions are sealed" });
      // WebKit loses X25519's keys on their way into the database, so a form with a hybrid key is open for now alone.
      const isRefused = engine.name === "WebKit";
      if (isRefused) {
        await tab.see({ text: "it can keep this form's hybrid key only where it could be read out" });
        const canChoose = () => document.querySelector("input[type=checkbox]:not(:disabled)") !== null;
        assert.equal(await tab.run(canChoose), false);
      } else await tab.click({ label: "Remember on this device" });
      await unlock();
      if (!isRefused) await open(`/forms/${formId}`);
      await tab.see({ text: naughty });
      const stored = await tab.run(async () => {
        const database = await new Promise<IDBDatabase>((resolve) => {
          const request = indexedDB.open("sealpost");
          request.onsuccess = () => resolve(request.result);
        });
        if (!database.objectStoreNames.contains("keys")) return [];
        const found = await new Promise<{ cryptoKey: CryptoKey }[]>((resolve) => {
          const request = database.transaction("keys").objectStore("keys").getAll();
          request.onsuccess = () => resolve(request.result);
        });
        database.close();
        return found.map(({ cryptoKey }) => [cryptoKey.extractable, cryptoKey.usages.join()]);
      });
      assert.deepEqual(stored, isRefused ? [] : [[false, "decrypt"]]);
      await tab.click({ button: "Account menu" });
      await tab.click({ button: "Sign out" });
      await tab.see({ text: "You are signed out" });
      await tab.until(async () => (await indexedDB.databases()).length === 0);
      await driver.navigate(`${service.url}/account`);
      await tab.until(() => location.pathname === "/sign-in");
      await tab.fill("Email address", person.email);
      await tab.fill("Password", `${person.password}${keys.enter}`);
      await tab.until(() => location.pathname === "/account");
    });
  });
