import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { invite, switchTo } from "../../../packages/server/src/organizations/testing/test-organization.ts";
import { type Dashboard, startDashboard } from "../../dashboard/dashboard.ts";
import { intercept } from "../../dashboard/intercept.ts";
import { findButton as button, checkPage as check, phone } from "../../support/check-page.ts";
import {
  addToList,
  beginList,
  equip,
  findList,
  makeAda,
  makeSealedForm,
  openBrowserOf,
  openNewBrowserOf,
  type Person,
  rememberHead,
  rememberKey,
} from "../../support/people.ts";
import { unlockWithSheet } from "../../support/personal-key.ts";
import { samplePairs } from "../../support/sample.ts";

// Ada is in her own organization and in one of Mallory's. Which of them her session acts for, and how each is called, is the server's word.

describe("another organization", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let mallory: Person;
  /** The names by the server, own and Mallory's. */
  let names: readonly [string, string];
  const forms = { own: "", theirs: "" };

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ada = await makeAda(service);
    await beginList(ada);
    mallory = await equip(service, await service.signUp("mallory@example.com", "Mallory"));
    await beginList(mallory);
    await join(mallory, ada);
    const bo = await equip(service, await service.signUp("bo@example.com", "Bo Example"));
    await join(ada, bo);
    forms.own = (await makeSealedForm(ada, "Works council")).id;
    forms.theirs = (await makeSealedForm(mallory, "Hotline", [ada])).id;
    const { body } = await ada.account.request("GET", "/api/organizations");
    const nameOf = (person: Person) =>
      body.organizations.find(({ id }: { id: string }) => id === person.account.id).name as string;
    names = [nameOf(ada), nameOf(mallory)];
    assert.notEqual(...names);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints.splice(0), []));

  async function join(owner: Person, person: Person): Promise<void> {
    const { email } = await person.client.account.get();
    const token = await invite(owner.account, email, { role: "manager" });
    assert.equal((await person.account.request("POST", "/api/invitations/accept", { token })).status, 200);
    await addToList(owner, person, "manager");
  }

  /** A browser of Ada's, which has seen both lists. `isNew`: it has sealed nothing. */
  async function open({ isNew = false, options = {} } = {}): Promise<Page> {
    await switchTo(ada.account, ada.account.id);
    const page = await (isNew ? openNewBrowserOf : openBrowserOf)(ada, dashboard, options);
    page.setDefaultTimeout(20_000);
    await rememberKey(page, ada);
    for (const person of [ada, mallory])
      await rememberHead(page, ada, person.account.id, (await findList(person)).head);
    return page;
  }

  /** Every answer gives each of the two organizations the other one's name. */
  function swapNames(page: Page): Promise<void> {
    const [own, theirs] = names.map((name) => JSON.stringify(name)) as [string, string];
    return intercept(page, "**/api/**", async (route) => {
      const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
      const response = await route.fetch({ headers: { ...headers, origin: new URL(dashboard.service.url).origin } });
      const isJson = response.headers()["content-type"]?.includes("json");
      if (!isJson) return route.fulfill({ response });
      const body = (await response.text()).split(own).map((part) => part.replaceAll(theirs, own));
      await route.fulfill({ response, body: body.join(theirs) });
    });
  }

  const stopped = (page: Page) => page.getByRole("dialog", { name: "Stopped: another organization" });
  const question = (page: Page) => page.getByRole("dialog", { name: "Is this the organization that you mean?" });

  /** Fills in and presses, with a key that is locked until then, or open before. */
  async function makeForm(page: Page, name: string, isOpen: boolean): Promise<void> {
    if (isOpen) {
      await page.goto("/account/key");
      await unlockWithSheet(page, ada.own.sheet);
      await button(page, "Lock now").waitFor();
      await page.getByRole("link", { name: "Forms", exact: true }).click();
      await page.getByRole("link", { name: "New form" }).first().click();
    } else await page.goto("/forms/new");
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    // The page has loaded everything that it shows before the press.
    if (isOpen) await page.getByText(/will read what is sealed here/).waitFor();
    await button(page, "Create form").click();
    if (!isOpen) await unlockWithSheet(page, ada.own.sheet);
  }

  async function openKeys(page: Page, formId: string): Promise<void> {
    await page.goto(`/forms/${formId}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Change readers").waitFor();
  }

  interface Act {
    act(page: Page, name: string, isTheirs: boolean): Promise<void>;
    done(page: Page): Locator;
  }
  const made = (page: Page) => page.getByText("Waiting for the first submission");
  const acts: Readonly<Record<string, Act>> = {
    "a form is made with a locked key": { act: (page, name) => makeForm(page, `${name}, locked`, false), done: made },
    "a form is made with an open key": { act: (page, name) => makeForm(page, `${name}, open`, true), done: made },
    "readers are changed": {
      async act(page, _, isTheirs) {
        await openKeys(page, isTheirs ? forms.theirs : forms.own);
        await button(page, "Change readers").click();
        const box = page.getByRole("checkbox", { name: isTheirs ? "Mallory" : "Bo Example" });
        await (isTheirs ? box.uncheck() : box.check());
        await button(page, "Seal for these readers").click();
      },
      done: (page) => page.getByText("1 form was changed."),
    },
    "a form is rotated": {
      async act(page, _, isTheirs) {
        await openKeys(page, isTheirs ? forms.theirs : forms.own);
        await button(page, "Make the new key").click();
        await button(page, /^Rotate to version/).click();
      },
      done: (page) => page.getByText("Version 2 is now current"),
    },
    "somebody is invited with their key": {
      async act(page, name, isTheirs) {
        await page.goto("/members");
        await button(page, "Invite somebody").click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Email address").fill(`${name.toLowerCase()}@example.com`);
        await dialog.getByRole("checkbox", { name: isTheirs ? "Hotline" : "Works council" }).check();
        await dialog.getByLabel("Their name").fill(name);
        await button(page, "Continue").click();
        await unlockWithSheet(page, ada.own.sheet);
        await button(page, "Make invitation and link").click();
      },
      done: (page) => page.getByText("Invitation and link are ready"),
    },
  };

  /** All that could have been made for Mallory's people. */
  async function lookAtTheirs(): Promise<unknown> {
    const [{ forms: made }, newest, admissions] = await Promise.all([
      mallory.client.forms.list(),
      mallory.client.envelopes.getNewest(forms.theirs, 1),
      mallory.client.admissions.list(),
    ]);
    return [made.length, newest?.revision, admissions.length, (await findList(mallory)).head.number];
  }

  /** Lies of the server, with their outcome. */
  const lies = {
    names: "with the names swapped it is done for the organization that is meant, and nobody is asked",
    session: "with the session switched by the server it is stopped",
    both: "with both it is stopped",
  };

  const cases = samplePairs(Object.entries(acts), ["names", "session", "both"] as const);
  for (const [[what, { act, done }], lie] of cases)
    test(`B2: ${what}: ${lies[lie]}`, async () => {
      const page = await open();
      if (lie !== "session") await swapNames(page);
      if (lie !== "names") await switchTo(ada.account, mallory.account.id);
      const before = await lookAtTheirs();
      await act(page, lie, lie !== "names");
      if (lie === "names") {
        await done(page).waitFor();
        assert.equal(await stopped(page).or(question(page)).count(), 0);
      } else {
        await stopped(page).getByText(ada.account.id).waitFor();
        await stopped(page).getByText(mallory.account.id).waitFor();
        await button(stopped(page), "Close").last().click();
        await stopped(page).waitFor({ state: "detached" });
        assert.equal(await done(page).count(), 0);
      }
      assert.deepEqual(await lookAtTheirs(), before);
      await page.context().close();
    });

  test("B2: who chooses Mallory's organization under their own one's name sees its members, and that it has another id, before anything is sealed", async () => {
    const page = await open({ options: phone });
    await swapNames(page);
    await page.goto("/");
    const before = await lookAtTheirs();
    await button(page, "Account menu").click();
    await page.getByRole("menuitemradio", { name: names[0] }).click();
    await page.getByRole("menu").waitFor({ state: "detached" });
    await makeForm(page, "Chosen", false);
    const asked = question(page);
    await asked.getByText("Mallory", { exact: true }).waitFor();
    await asked.getByText(`Another organization has this name in this browser: ${ada.account.id}.`).waitFor();
    await check(page, "another organization under the own one's name");
    await button(asked, "Cancel").click();
    await asked.waitFor({ state: "detached" });
    assert.deepEqual(await lookAtTheirs(), before);
    await page.context().close();
  });

  test("a browser that has sealed nothing yet shows organization and members after a locked key is opened, and waits for one press; an open key needs none, and later forms neither", async () => {
    const page = await open({ isNew: true, options: phone });
    await makeForm(page, "First, locked", false);
    const asked = question(page);
    for (const name of ["Ada Example", "Bo Example"]) await asked.getByText(name, { exact: true }).waitFor();
    await asked.getByText(`Id: ${ada.account.id}`).waitFor();
    await check(page, "first sight of an organization");
    const isMade = async (name: string) => (await ada.client.forms.list()).forms.some((form) => form.name === name);
    assert.equal(await isMade("First, locked"), false);
    await button(asked, "Cancel").click();
    await asked.waitFor({ state: "detached" });
    assert.equal(await isMade("First, locked"), false);
    // The key is open now, and the page shows what the question did.
    await page.getByText(`Id: ${ada.account.id}`).waitFor();
    await button(page, "Create form").click();
    await made(page).waitFor();
    await makeForm(page, "Second, locked", false);
    await made(page).waitFor();
    await page.context().close();

    const other = await open({ isNew: true });
    await makeForm(other, "Third, locked", false);
    await button(question(other), "Yes, continue").click();
    await made(other).waitFor();
    await other.context().close();

    const third = await open({ isNew: true });
    await makeForm(third, "First, open", true);
    await made(third).waitFor();
    assert.equal(await question(third).count(), 0);
    await third.context().close();
  });

  test("where the server acts for another organization, one press leads back, and one to that one, which is then shown", async () => {
    const page = await open({ options: phone });
    await switchTo(ada.account, mallory.account.id);
    await makeForm(page, "Back", false);
    await check(page, "stopped for another organization");
    await button(stopped(page), "Switch back").click();
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    await makeForm(page, "Back", false);
    await made(page).waitFor();
    assert.ok((await ada.client.forms.list()).forms.some(({ name }) => name === "Back"));
    await switchTo(ada.account, mallory.account.id);
    await page.reload();
    await makeForm(page, "Theirs", false);
    await button(stopped(page), "I mean this one").click();
    await stopped(page).waitFor({ state: "detached" });
    await button(page, "Create form").click();
    await button(question(page), "Yes, continue").click();
    await made(page).waitFor();
    await page.context().close();
  });
});
