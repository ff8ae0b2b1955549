import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createKeyFile } from "@sealpost/sdk";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { type End, type Kept, kept } from "../../packages/dashboard/kept.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, person, startDashboard, submit } from "./dashboard.ts";

const bo = { name: "Bo Reader", email: "bo@example.com", password: "another horse battery" };
type Person = typeof person;

/** Rows of the table that a page finds by their names; the others are in its memory. */
const stored = kept.filter(({ place }) => ["session storage", "local storage", "IndexedDB"].includes(place));

describe("what a browser keeps of a person whose session has ended", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;
  let otherKeyFile: Buffer;
  let ada: Person & { readonly id: string };

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard, 129);
    const { id } = await dashboard.service.database.selectFrom("person").select("id").executeTakeFirstOrThrow();
    ada = { ...person, id };
    const { publicKey, privateKey } = contact.pair;
    const form = await contact.client.forms.create({ name: "Other", publicKey });
    await submit(dashboard.service, form, { message: "Answer to the other form" });
    const file = await createKeyFile({ formId: form.id, formName: "Other", keyVersion: 1, createdAt: 1, privateKey });
    otherKeyFile = Buffer.from(JSON.stringify(file));
    const { url } = await contact.client.invitations.create({
      email: bo.email,
      role: "reader",
      forms: [contact.form.id, form.id],
    });
    const body = { ...bo, invitation: url.split("#")[1] };
    const made = await dashboard.service.request("POST", "/api/auth/sign-up/email", { body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function startSession({ email, password }: Person): Promise<string> {
    const { headers } = await dashboard.service.request("POST", "/api/auth/sign-in/email", {
      body: { email, password },
    });
    return headers.getSetCookie()[0]?.split(";")[0] ?? "";
  }

  /** As an identity provider's answer does. */
  async function bringSession(page: Page, of: Person): Promise<void> {
    const [name = "", value = ""] = (await startSession(of)).split("=");
    const { url } = dashboard.service;
    await page.context().addCookies([{ name, value, url, sameSite: "Lax", httpOnly: true }]);
  }

  /** A session of Ada's on another device asks for it. */
  async function post(path: string, body: object): Promise<void> {
    const headers = { cookie: await startSession(ada), origin: dashboard.service.url };
    const answer = await dashboard.service.request("POST", `/api/auth/${path}`, { body, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  async function signIn(page: Page, { email, password }: Person): Promise<void> {
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Account menu" }).waitFor();
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You are signed out").waitFor();
  }

  /** Without a load: what is in the memory of the page stays there. */
  async function follow(page: Page, name: "Contact" | "Other"): Promise<void> {
    await page.getByRole("link", { name: "Forms" }).first().click();
    await page.getByRole("link", { name }).first().click();
    await page.getByRole("heading", { name }).waitFor();
  }

  const answers = { Contact: "Question number 129", Other: "Answer to the other form" };

  /** A page of Ada's with both forms open, one of them by a remembered key, and each row of the table. */
  async function openAsAda(): Promise<Page> {
    const page = await dashboard.open("about:blank");
    await bringSession(page, ada);
    await page.goto(`/forms/${contact.form.id}`);
    await page.getByLabel("Remember on this device").check();
    await contact.unlock(page);
    await page.getByText(answers.Contact).waitFor();
    await follow(page, "Other");
    await page.setInputFiles("input[type=file]", { name: "k.json", mimeType: "text/plain", buffer: otherKeyFile });
    await page.getByText(answers.Other).waitFor();
    await plant(page, ada.id);
    return page;
  }

  interface Ending {
    readonly isSignOut?: true;
    /** Brings the page to the sign-in. */
    readonly end: (page: Page) => Promise<unknown>;
    readonly undo?: () => Promise<unknown>;
  }

  /** The page notices it by its next request. */
  async function notice(page: Page): Promise<void> {
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByText("Your session has ended").waitFor();
  }

  const endings: Readonly<Record<string, Ending>> = {
    "is open still": { end: (page) => page.goto("/sign-in") },
    "was signed out": { isSignOut: true, end: signOut },
    "was signed out in another tab": {
      isSignOut: true,
      async end(page) {
        const tab = await page.context().newPage();
        await tab.goto("/account");
        await signOut(tab);
        await page.getByText("You are signed out").waitFor();
      },
    },
    "was ended on another device": {
      async end(page) {
        await post("revoke-other-sessions", {});
        await notice(page);
      },
    },
    "has expired": {
      async end(page) {
        await sql`update session set last_used_at = 0`.execute(dashboard.service.database);
        await notice(page);
      },
    },
    "ended with a new password": {
      async end(page) {
        const newPassword = `${ada.password} staple`;
        await post("change-password", { currentPassword: ada.password, newPassword, revokeOtherSessions: true });
        ada = { ...ada, password: newPassword };
        await notice(page);
      },
    },
    "ended as the account was disabled": {
      async end(page) {
        await sql`update person set disabled_at = 1 where id = ${ada.id}`.execute(dashboard.service.database);
        await notice(page);
      },
      undo: () => sql`update person set disabled_at = null`.execute(dashboard.service.database),
    },
    // As after the second factor was turned on, a restored backup and much else.
    "is known no longer": {
      async end(page) {
        await sql`delete from session where person_id = ${ada.id}`.execute(dashboard.service.database);
        await notice(page);
      },
    },
  };

  async function inAnotherTab(page: Page, next: Person): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.goto("/sign-in");
    await signIn(tab, next);
    return tab;
  }

  /** Gives the page on which the next person is. */
  const ways: Readonly<Record<string, (page: Page, next: Person) => Promise<Page>>> = {
    async "on the same page"(page, next) {
      await signIn(page, next);
      return page;
    },
    async "after a reload"(page, next) {
      await page.reload();
      await signIn(page, next);
      return page;
    },
    "in another tab": inAnotherTab,
    async "with an identity provider"(page, next) {
      await bringSession(page, next);
      await page.goto("/");
      return page;
    },
  };

  /** Whether it is there once `next` has signed in. */
  function remains(ends: End, isSignOut: boolean, next: Person): boolean {
    switch (ends) {
      case "page":
        return false;
      case "person":
        return !isSignOut && next !== bo;
      case "tab":
      case "browser":
        return !isSignOut;
      case "never":
        return true;
      default:
        return ends satisfies never;
    }
  }

  interface Case {
    readonly ending: string;
    readonly way: string;
    readonly isSame: boolean;
  }

  const [onSamePage = "", ...otherWays] = Object.keys(ways);
  const cases: readonly Case[] = [
    ...Object.keys(endings).map((ending) => ({ ending, way: onSamePage, isSame: false })),
    ...otherWays.map((way) => ({ ending: "was ended on another device", way, isSame: false })),
    ...[onSamePage, "in another tab"].map((way) => ({ ending: "was ended on another device", way, isSame: true })),
  ];

  for (const { ending: name, way, isSame } of cases) {
    const who = isSame ? "the same" : "another";
    test(`after a session that ${name}, ${who} person who signs in ${way} finds what the table of kept things leaves, and no open key`, async (t) => {
      const { isSignOut = false, end, undo = async () => {} } = endings[name] ?? assert.fail();
      t.after(undo);
      const page = await openAsAda();
      assert.deepEqual(await findUnknown(page), []);
      await end(page);
      assert.equal(await isOfAda(page), false, "the memory of her page");
      const next = isSame ? ada : bo;
      const own = await (ways[way] ?? assert.fail())(page, next);
      const isRemembered = isSame && !isSignOut;
      await follow(own, "Contact");
      if (isRemembered) await own.getByText(answers.Contact).waitFor();
      else await assertSealed(own, "Contact");
      await follow(own, "Other");
      await assertSealed(own, "Other");
      const expected = stored.map(({ name, place, ends }) => ({ name, place, is: remains(ends, isSignOut, next) }));
      if (own !== page) {
        // A tab keeps things for itself.
        await page.goto("/");
        await page.getByRole("button", { name: "Account menu" }).waitFor();
      }
      assert.deepEqual(await findPlanted(page), expected);
      await page.context().close();
    });
  }

  test("a tab that notices the end closes the keys of all, and keeps what is typed; when another person signs in, every tab begins again", async () => {
    const page = await openAsAda();
    const form = await page.context().newPage();
    await form.goto(`/forms/${contact.form.id}/settings`);
    await form.getByLabel("Name", { exact: true }).fill("Kontakt");
    await post("revoke-other-sessions", {});
    await form.getByRole("button", { name: "Save" }).first().click();
    await form.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    await page.getByText(answers.Other).waitFor({ state: "detached" });
    assert.equal(await form.getByLabel("Name", { exact: true }).inputValue(), "Kontakt");
    await form.evaluate(() => Object.assign(window, { ofAda: true }));
    await inAnotherTab(page, bo);
    for (const one of [page, form]) await one.waitForFunction(() => !("ofAda" in window));
    await follow(form, "Contact");
    await assertSealed(form, "Contact");
    await page.context().close();
  });

  test("a person who signs in over the open session of another gets none of the keys that are open in other tabs, and these begin again", async () => {
    const page = await openAsAda();
    const tab = await inAnotherTab(page, bo);
    await page.waitForFunction(() => !("ofAda" in window));
    for (const one of [tab, page]) {
      await follow(one, "Contact");
      await assertSealed(one, "Contact");
    }
    await page.context().close();
  });

  async function assertSealed(page: Page, name: keyof typeof answers): Promise<void> {
    const sealed = page.getByText(/submissions? (?:are|is) sealed/).first();
    await sealed.waitFor();
    // Keys that are kept, and those of other tabs, would be there by now.
    for (const one of page.context().pages()) await findPlanted(one);
    assert.ok(await sealed.isVisible());
    assert.equal(await page.getByText(answers[name]).count(), 0);
  }
});

const isOfAda = (page: Page) => page.evaluate(() => "ofAda" in window);

/** Puts something there for each row, and marks the memory of the page. */
function plant(page: Page, adaId: string): Promise<void> {
  return page.evaluate(
    async ({ rows, id }) => {
      for (const { name, place, ends } of rows) {
        const key = /[-:]$/.test(name) ? `${name}planted` : name;
        if (place === "local storage") localStorage.setItem(key, "dark");
        const answered = {
          admissionId: "",
          organizationId: "",
          maker: "Cleo Example",
          others: [],
          organizationName: "",
        };
        const ofAda =
          key === "sealpost-admission-answered" ? JSON.stringify({ person: id, answered }) : `${id} planted`;
        if (place === "session storage") sessionStorage.setItem(key, ends === "person" ? ofAda : "dark");
      }
      const opening = indexedDB.open("sealpost-heads");
      await new Promise((resolve) => {
        opening.onupgradeneeded = () => opening.result.createObjectStore("heads");
        opening.onsuccess = resolve;
      });
      const transaction = opening.result.transaction("heads", "readwrite");
      transaction.objectStore("heads").put(1, "planted");
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      opening.result.close();
      Object.assign(window, { ofAda: true });
    },
    { rows: stored, id: adaId },
  );
}

/** For each row, whether it is still there. */
function findPlanted(page: Page): Promise<readonly (Pick<Kept, "name" | "place"> & { readonly is: boolean })[]> {
  return page.evaluate(async (rows) => {
    const count = async (database: string) => {
      if (!(await indexedDB.databases()).some(({ name }) => name === database)) return 0;
      const opening = indexedDB.open(database);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const [store = ""] = opening.result.objectStoreNames;
      const counting = opening.result.transaction(store).objectStore(store).count();
      await new Promise((resolve) => {
        counting.onsuccess = resolve;
      });
      opening.result.close();
      return counting.result;
    };
    const found = [];
    for (const { name, place } of rows) {
      const key = /[-:]$/.test(name) ? `${name}planted` : name;
      const storage = place === "local storage" ? localStorage : sessionStorage;
      found.push({ name, place, is: place === "IndexedDB" ? (await count(name)) > 0 : storage.getItem(key) !== null });
    }
    return found;
  }, stored);
}

/** Names that are in no row. */
async function findUnknown(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(async () => ({
    "session storage": Object.keys(sessionStorage),
    "local storage": Object.keys(localStorage),
    IndexedDB: (await indexedDB.databases()).map(({ name = "" }) => name),
    elsewhere: [document.cookie, window.name, ...(await caches.keys())].filter((name) => name !== ""),
    worker: (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
  }));
  return Object.entries(found).flatMap(([place, names]) =>
    names.filter((name) => !kept.some((row) => row.place === place && name.startsWith(row.name))),
  );
}
