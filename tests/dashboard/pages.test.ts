import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createClient, fingerprint } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import type { Page as BrowserPage } from "playwright-core";
import type { Role } from "../../packages/dashboard/src/organization/offers.ts";
import {
  fillPath,
  findOuter,
  findPage,
  type PageName,
  pageNames,
  pages,
  pagesIn,
} from "../../packages/dashboard/src/pages.ts";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { invitation } from "../../packages/texts/src/en/dashboard/invitation.ts";
import { text } from "../../packages/texts/testing/english.ts";
import { listDocumentOperations } from "../contract/operations.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { openBrowserOf } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { findWrongRows, isFor, roles, rows } from "./compare-rows.ts";
import { assertAccessible, assertStatesSeen, type Dashboard, startDashboard } from "./dashboard.ts";
import { filledEnvironment, fillOrganization } from "./filled-organization.ts";
import { tabTo } from "./tab-to.ts";
import { type SeenOperations, watchOperations } from "./watch-operations.ts";

// A crawl of every row of the manifest: what is not in here is no page.

const outside = pageNames.filter((name) => rows[name].audience === "anyone");
const inside = pageNames.filter((name) => rows[name].audience !== "anyone");
/** A secret as links have it that were cut or mangled: no page can use it, and each takes it out all the same. */
const secret = "adm_00000000000000000000000000.x.y";

/** Links that this instance and this owner do not have: one needs emails (mail.test.ts), the others an open key. */
const followedElsewhere: readonly PageName[] = ["resetPassword", "useRecovery", "lookAtForms"];

describe("the pages of the manifest", () => {
  let dashboard: Dashboard;
  let owner: TestAccount;
  let formId: string;
  const people = new Map<Role, TestAccount>();
  let seen: SeenOperations;

  before(async () => {
    dashboard = await startDashboard({ environment: filledEnvironment });
    seen = watchOperations(listDocumentOperations(dashboard.service.app.swagger()));
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const pathOf = (name: PageName) => fillPath(pages[name].path, formId);
  const isOfForm = (name: PageName) => pages[name].path.includes("$");
  const titleOf = (name: PageName, form = "Contact") =>
    [text.pages[name], ...(isOfForm(name) ? [form] : []), text.common.product].join(" · ");
  const untilTitled = (page: BrowserPage, title: string) =>
    page
      .waitForFunction((wanted) => document.title === wanted, title)
      .catch(async () => {
        assert.equal(await page.title(), title, page.url());
      });

  async function check(page: BrowserPage, name: PageName, form?: string): Promise<void> {
    // Without its secret there is no invitation.
    await untilTitled(
      page,
      name === "invitation" ? `${invitation.incomplete} · ${text.common.product}` : titleOf(name, form),
    );
    await page.getByText(text.common.loading, { exact: true }).first().waitFor({ state: "detached" });
    await assertAccessible(page, name);
    await assertStatesSeen(page, name);
    assert.equal(await page.locator("h1").count(), 1, `${name} has one heading of the first level`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 320, `${name} is wider than the smallest phone`);
  }

  /** A visitor's page that pins a key from before the last rotation says that it was refused, and a plain form sends no field that counts. */
  async function refuseVisitors(): Promise<void> {
    const client = createClient({ baseUrl: dashboard.service.url, token: owner.token });
    const former = await fingerprint((await client.forms.get(formId)).publicKey);
    await client.forms.rotateKeys(formId, { publicKey: takeKeyPair().publicKey });
    await dashboard.service.request("POST", `/api/forms/${formId}/keys/refused`, { body: { fingerprints: [former] } });
    const body = new URLSearchParams({ _hidden: "typed" });
    const answer = await fetch(`${dashboard.service.url}/f/${formId}`, { method: "POST", body });
    assert.equal(answer.status, 400);
    await answer.arrayBuffer();
    const listCauses = async () => (await client.forms.get(formId)).refusedVisitors?.map(({ cause }) => cause) ?? [];
    // That is noted after the answer.
    while ((await listCauses()).length < 2) await setImmediate();
    assert.deepEqual(await listCauses(), ["old_key", "form_markup"]);
  }

  const phone = { viewport: { width: 320, height: 640 } };

  test("each page that needs no session has its title, is accessible and fits the smallest phone", async () => {
    const page = await dashboard.open(`${pages.setup.path}?token=${dashboard.service.setupToken}`, phone);
    await check(page, "setup");
    owner = await dashboard.service.signUp("ada@example.com", "Ada Example");
    for (const name of outside.filter((one) => one !== "setup")) {
      await page.goto(pathOf(name));
      await check(page, name);
    }
    await page.context().close();
  });

  test("each page that needs a session leads to the sign-in without one, and from there back", async () => {
    formId = "form_x";
    const page = await dashboard.open(pages.signIn.path);
    for (const name of inside) {
      await page.goto(pathOf(name));
      await untilTitled(
        page,
        name === "join" ? `${text.session.joinTitle} · ${text.common.product}` : titleOf("signIn"),
      );
      const next = new URL(page.url()).searchParams.get("next");
      assert.equal(next ?? pages.forms.path, pathOf(name));
    }
    await page.context().close();
  });

  test("each page for people who are signed in has its title, is accessible and fits the smallest phone, with something in every list", async () => {
    const client = createClient({ baseUrl: dashboard.service.url, token: owner.token });
    const form = await client.forms.create({ name: "Contact", settings: { encryption: false } });
    const submission = {
      id: createId("submission"),
      payload: { encrypted: false, version: "plain1", fields: { name: "Somebody" } },
    };
    const sent = await dashboard.service.request("POST", `/api/forms/${form.id}/submissions`, { body: submission });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const filled = await fillOrganization(dashboard.service, owner, { form: "Works council", person: "Somebody" });
    formId = filled.formId;
    const unlockedTab = await openBrowserOf({ account: owner, own: filled.ownKey }, dashboard, phone);
    await unlockedTab.goto(pathOf("submissions"));
    await unlockWithSheet(unlockedTab, filled.sheet);
    await unlockedTab.getByRole("table").waitFor();
    const page = await unlockedTab.context().newPage();
    for (const name of inside) {
      await page.goto(pathOf(name));
      await check(page, name, "Works council");
    }
    formId = form.id;
    for (const name of inside.filter(isOfForm)) {
      await page.goto(pathOf(name));
      await check(page, name);
    }
    await page.context().close();
  });

  test("each page in a menu, and each that is found on another, is reached by keyboard", async () => {
    const page = await openBrowserOf({ account: owner }, dashboard);
    const isAt = (name: PageName) => page.waitForURL((url) => url.pathname === pathOf(name));
    for (const name of pageNames) {
      const { found } = rows[name];
      if (found === "by link" || followedElsewhere.includes(name)) continue;
      const outer = findOuter(name) ?? "yourKey";
      if (rows[outer].audience === "anyone") await page.context().clearCookies();
      else if (rows[name].audience !== "anyone" && (await page.context().cookies()).length === 0) continue;
      const start = "menu" in found && found.menu === "form" ? "statistics" : outer;
      await page.goto(pathOf(start));
      await untilTitled(page, titleOf(start));
      if ("menu" in found && found.menu === "account") {
        const menu = page.getByRole("button", { name: text.common.accountMenu });
        await menu.press("Enter");
        await tabTo(page, page.getByRole("menuitem", { name: text.pages[name], exact: true }), "ArrowDown");
      } else {
        const link = page.locator(`a[href="${pathOf(name)}"]:visible`).last();
        await link.waitFor();
        assert.ok(await link.evaluate(({ tabIndex }) => tabIndex === 0), name);
        await link.focus();
      }
      await page.keyboard.press("Enter");
      await isAt(name);
    }
    await page.context().close();
  });

  test("who is offered a page has it, and to every other role it says so; menus and links lead to what is offered and nowhere else", async () => {
    people.set("owner", owner);
    for (const role of roles.slice(1))
      people.set(
        role,
        await addPerson(dashboard.service, owner, `${role}@example.com`, {
          role,
          ...((role === "reader" || role === "developer") && { forms: [formId] }),
        }),
      );
    await refuseVisitors();
    const astray = new Set<string>();
    for (const [role, account] of people) {
      const page = await openBrowserOf({ account }, dashboard);
      await seen.settle();
      seen.watch(page.context(), role);
      for (const name of inside.filter((one) => rows[one].audience !== "operator" || role === "owner")) {
        // A link to a form leads to the first part that is for the role.
        if (name === "submissions" && !isFor(role, name)) continue;
        seen.begin(name);
        await page.goto(pathOf(name));
        await untilTitled(
          page,
          isFor(role, name) ? titleOf(name) : `${text.common.notForRole} · ${text.common.product}`,
        );
        if (isFor(role, name)) await seen.settle();
        else await page.getByRole("heading", { name: text.common.notForRole }).waitFor();
        for (const other of await findLinkedPages(page))
          if (!isFor(role, other) && other !== "submissions") astray.add(`${name} leads a ${role} to ${other}`);
      }
      await page.goto(pathOf("statistics"));
      await untilTitled(page, titleOf("statistics"));
      for (const [menu, label] of [
        ["top", text.common.navigation],
        ["form", text.forms.tabsLabel],
      ] as const) {
        const shown = await page.getByRole("navigation", { name: label }).getByRole("link").allInnerTexts();
        const offered = pagesIn(menu).filter((name) => isFor(role, name));
        assert.deepEqual(
          shown,
          offered.map((name) => text.pages[name]),
          `${menu} of a ${role}`,
        );
      }
      await page.getByRole("button", { name: text.common.accountMenu }).press("Enter");
      const items = await page.getByRole("menuitem").allInnerTexts();
      const known: readonly string[] = pageNames.map((name) => text.pages[name]);
      assert.deepEqual(
        items.filter((item) => known.includes(item)),
        pagesIn("account")
          .filter((name) => isFor(role, name) && (rows[name].audience !== "operator" || role === "owner"))
          .map((name) => text.pages[name]),
      );
      await page.context().close();
    }
    assert.deepEqual([...astray], []);
  });

  test("the row of each page says for whom it is as the operations do that the page asks for", async () => {
    const account = await dashboard.service.signUp("nobody@example.com", "Nobody");
    await dashboard.service.database.deleteFrom("member").where("person_id", "=", account.id).execute();
    const page = await openBrowserOf({ account }, dashboard);
    await seen.settle();
    seen.watch(page.context(), "nobody");
    for (const name of inside.filter((one) => rows[one].audience === "person")) {
      seen.begin(name);
      await page.goto(pathOf(name));
      await untilTitled(page, titleOf(name));
      await seen.settle();
    }
    await page.context().close();
    assert.deepEqual(findWrongRows(seen.asked), []);
  });

  test("a secret in a page's link is taken out of the address bar at once", async () => {
    for (const name of pageNames.filter((one) => rows[one].hasSecret)) {
      const page = await openBrowserOf({ account: owner }, dashboard);
      await page.goto(`${pathOf(name)}#${secret}`);
      await page.waitForFunction(() => window.location.hash === "" && document.querySelector("h1") !== null);
      assert.ok(!page.url().includes(secret), name);
      await page.context().close();
    }
  });
});

/** The pages to which links lead that somebody can see. */
async function findLinkedPages(page: BrowserPage): Promise<ReadonlySet<PageName>> {
  const paths = await page.locator("a[href^='/']:visible").evaluateAll((links) =>
    // The selector finds no other elements.
    links.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
  );
  return new Set(paths.flatMap((path) => findPage(path) ?? []));
}
