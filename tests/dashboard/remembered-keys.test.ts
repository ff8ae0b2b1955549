import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

describe("keys that a browser remembers", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard, 90);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  function listRememberedKeys(page: Page) {
    return page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("sealpost");
        request.onsuccess = () => resolve(request.result);
      });
      const keys = await new Promise<{ cryptoKey: CryptoKey }[]>((resolve) => {
        const request = database.transaction("keys").objectStore("keys").getAll();
        request.onsuccess = () => resolve(request.result);
      });
      database.close();
      return keys.map(({ cryptoKey: { extractable, usages } }) => ({ extractable, usages }));
    });
  }

  test("a remembered key opens the form again after a reload, cannot be read out, and is forgotten by locking and by signing out", async () => {
    const page = await dashboard.signInByPage();
    await page.goto(`/forms/${contact.form.id}`);
    await page.getByLabel("Remember on this device").check();
    await contact.unlock(page);
    await page.reload();
    await page.getByText("Question number 129").waitFor();
    assert.deepEqual(await listRememberedKeys(page), [{ extractable: false, usages: ["decrypt"] }]);
    const plain = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.doesNotMatch(plain, /Question|privateKey|"d":/);
    await page.getByRole("button", { name: "Lock" }).click();
    await page.getByText("These submissions are sealed").waitFor();
    await page.reload();
    await page.getByText("These submissions are sealed").waitFor();
    await page.getByLabel("Remember on this device").check();
    await contact.unlock(page);

    // A browser that suddenly keeps nothing says so when it is asked to, and locks and signs out all the same.
    await page.evaluate(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("No storage here", "InvalidStateError");
      };
    });
    await page.getByRole("button", { name: "Lock" }).click();
    const remember = page.getByLabel("Remember on this device");
    await remember.check();
    await page.setInputFiles("input[type=file]", {
      name: "key.json",
      mimeType: "application/json",
      buffer: contact.keyFile,
    });
    await page.getByRole("alert").filter({ hasText: "This browser remembers nothing here" }).waitFor();
    await remember.uncheck();
    await contact.unlock(page);
    const signedOut = page.waitForResponse((response) => response.url().endsWith("/api/auth/sign-out"));
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    assert.equal(await (await signedOut).headerValue("clear-site-data"), '"cache", "storage"');
    await page.getByText("You are signed out").waitFor();
    assert.deepEqual(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)), []);
    await page.context().close();
  });

  test("signing out deletes what this browser kept but for the lists and envelopes that it has seen, which no moment of it is without", async () => {
    const page = await dashboard.signInByPage();
    await page.goto(`/forms/${contact.form.id}`);
    await page.getByLabel("Remember on this device").check();
    await contact.unlock(page);
    await page.evaluate(async () => {
      localStorage.setItem("sealpost-theme", "dark");
      sessionStorage.setItem("sealpost-invitation", "token");
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("sealpost-heads", 2);
        request.onupgradeneeded = () => {
          for (const name of ["heads", "lists"]) request.result.createObjectStore(name);
        };
        request.onsuccess = () => resolve(request.result);
      });
      const transaction = database.transaction(["heads", "lists"], "readwrite");
      transaction.objectStore("heads").put({ seen: 1 }, "seen");
      transaction.objectStore("lists").put("entries", "kept");
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      database.close();
    });
    const signedOut = page.waitForResponse((response) => response.url().endsWith("/api/auth/sign-out"));
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    // The browser deletes by the headers, and the tab may end before the page can put anything back.
    assert.equal(await (await signedOut).headerValue("clear-site-data"), '"cache"');
    await page.getByText("You are signed out").waitFor();
    assert.deepEqual(await listRememberedKeys(page), []);
    const left = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("sealpost-heads", 2);
        request.onsuccess = () => resolve(request.result);
      });
      const transaction = database.transaction(["heads", "lists"]);
      const requests = ["heads", "lists"].map((name) => transaction.objectStore(name).getAllKeys());
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      database.close();
      const [heads, lists] = requests.map(({ result }) => result.map(String));
      return { heads, lists, local: { ...localStorage }, session: { ...sessionStorage } };
    });
    assert.ok(left.heads?.includes("seen"), String(left.heads));
    assert.deepEqual({ ...left, heads: [] }, { heads: [], lists: [], local: {}, session: {} });
    await page.context().close();
  });

  test("a form that says it is locked stays locked in every tab, even if the page ends before the browser deleted the key", async () => {
    const page = await dashboard.signIn(`/forms/${contact.form.id}`);
    await page.getByLabel("Remember on this device").check();
    await contact.unlock(page);
    const other = await page.context().newPage();
    // A browser that never comes to deleting.
    await page.evaluate(() => {
      IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
    });
    await page.getByRole("button", { name: "Lock" }).click();
    await page.getByText("These submissions are sealed").waitFor();
    for (const tab of [other, page]) {
      await tab.goto(`/forms/${contact.form.id}`);
      // The page that comes next does the deleting, before it looks for keys.
      await tab.waitForFunction(() => !Object.keys(localStorage).some((name) => name.includes("forgetting")));
      assert.deepEqual(await listRememberedKeys(tab), []);
      await tab.getByText("These submissions are sealed").waitFor();
    }
    await page.context().close();
  });
});
