import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createListEntry, generatePersonalKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import type { Locator, Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  equip,
  findList,
  makeAdaWithForm,
  makeSealedForm,
  openBrowserOf,
  type Person,
} from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { toSigner } from "./played-envelopes.ts";

const finger = { ...phone, hasTouch: true, isMobile: true };
const programs = Array.from({ length: 6 }, (_, index) => `Program ${index + 1}`);
const formNames = Array.from({ length: 6 }, (_, index) => `Form ${index + 1}`);

// Somebody leaves who had let in others and read several forms: what an owner sees of it on a phone.
describe("taking somebody out on a phone", () => {
  let dashboard: Dashboard;
  let ada: Person;

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ({ ada } = await makeAdaWithForm(service));
    const manager = { role: "manager" } as const;
    const cleo = await equip(service, await addPerson(service, ada.account, "cleo@example.com", manager, "Cleo"));
    await addToList(ada, cleo, "manager");
    const signer = await toSigner({ id: cleo.account.id, key: cleo.own.key });
    for (const name of programs) {
      const list = await findList(ada);
      const { recipient } = await generatePersonalKey();
      const member = { id: createId("account"), name, role: "program", recipient, signingKey: null } as const;
      const entry = await createListEntry(list, ada.account.id, { change: "add", member }, signer);
      await cleo.client.memberList.add(entry, list.head);
    }
    for (const name of formNames) await makeSealedForm(ada, name, [cleo]);
    await ada.client.members.remove(cleo.account.id);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (path: string) => {
    const page = await openBrowserOf(ada, dashboard, finger);
    await page.goto(path);
    return page;
  };
  const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Take Cleo out of what is sealed" });

  test("with a locked key, Forms and Members say what waits, and lead to unlocking it", async () => {
    for (const path of ["/", "/members"]) {
      const page = await open(path);
      await page.getByText("Something waits for your key").waitFor();
      await page.getByText("Cleo can still be a reader of sealed forms").waitFor();
      await check(page, `what waits for a locked key on ${path}`);
      assert.equal(await button(page, "Take out Cleo").count(), 0);
      await button(page, "Unlock your key").tap();
      await unlockWithSheet(page, ada.own.sheet);
      await button(page, "Take out Cleo").waitFor();
      await page.getByText("Something waits for your key").waitFor({ state: "detached" });
      await page.context().close();
    }
  });

  test("Members asks for everything at once: no answer waits for another one", async () => {
    const page = await open("/");
    await page.getByText("Something waits for your key").waitFor();
    const asked = new Set<string>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const lists = ["members", "invitations", "admissions", "member-list", "account/personal-key", "forms"];
    await intercept(
      page,
      /\/api\/(members|invitations|admissions|member-list|account\/personal-key|forms)(\?|$)/,
      async (route) => {
        asked.add(new URL(route.request().url()).pathname.replace("/api/", ""));
        if (asked.size === lists.length) resolve();
        await promise;
        await route.fallback();
      },
    );
    await page.goto("/members");
    await page.getByText("Something waits for your key").waitFor();
    assert.deepEqual([...asked].toSorted(), lists.toSorted());
    await page.context().close();
  });

  test("what was seen of the list with a locked key is not remembered", async () => {
    const page = await open("/members");
    await page.getByText("Something waits for your key").waitFor();
    const kept = await page.evaluate(
      () =>
        new Promise<readonly string[]>((resolve) => {
          const opening = indexedDB.open("sealpost-heads");
          opening.onsuccess = () => {
            const names = opening.result.transaction("heads").objectStore("heads").getAllKeys();
            names.onsuccess = () => resolve(names.result.map(String));
          };
        }),
    );
    assert.deepEqual(
      kept.filter((name) => name.includes("list ")),
      [],
    );
    await page.context().close();
  });

  test("answers about those whom they let in are kept when the dialog closes, and the button is in sight", async () => {
    const page = await open("/account/key");
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Account menu").tap();
    await page.getByRole("menuitem", { name: "Members" }).tap();
    await button(page, "Take out Cleo").tap();
    const dialog = dialogOf(page);
    const next = button(dialog, "Continue");
    await next.waitFor();
    assert.ok(await isInSight(next), "before anything is scrolled");
    await check(page, "whom somebody let in");
    const choice = (name: string, answer: RegExp) =>
      dialog.getByRole("group", { name: new RegExp(`^${name}`) }).getByRole("radio", { name: answer });
    await choice("Program 1", /^I know this key/).check();
    await choice("Program 2", /^I can't say/).check();
    await dialog.getByText("They keep what they can open so far.").waitFor();
    await check(page, "an answer that says what it means");
    await button(dialog, "Close").first().tap();
    await dialog.waitFor({ state: "detached" });
    await button(page, "Take out Cleo").tap();
    assert.ok(await choice("Program 1", /^I know this key/).isChecked());
    assert.ok(await choice("Program 2", /^I can't say/).isChecked());

    // The list can't be changed at this moment: nothing that was answered is lost by it.
    await intercept(page, "**/api/member-list*", (route) =>
      route.request().method() === "POST" ? route.abort() : route.fallback(),
    );
    await next.tap();
    await dialog.getByText("No answer came from the server").waitFor();
    await check(page, "somebody could not be taken out");
    await button(dialog, "Back to the answers").tap();
    assert.ok(await choice("Program 1", /^I know this key/).isChecked());
    await page.unroute("**/api/member-list*");
    await next.tap();
    await dialog.getByText("Cleo is not in the signed list of members.").waitFor();
    await dialog.getByText("Not confirmed: Program 2").waitFor();

    // Several forms are rotated.
    const rotate = button(dialog, "Rotate the keys of 6 forms");
    await rotate.waitFor();
    const list = dialog.getByRole("listitem").filter({ hasText: "Form 6" }).locator("xpath=..");
    const cut = await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    assert.ok(cut <= 1, `${cut} pixels of the list are cut off`);
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    await intercept(page, "**/rotate-keys", async (route) => {
      asked += 1;
      if (asked === 2) await promise;
      await route.fallback();
    });
    await rotate.tap();
    await dialog.getByText("1 of 6 forms have new keys.").waitFor();
    const progress = dialog.getByRole("progressbar", { name: "Forms with new keys" });
    assert.equal(await progress.getAttribute("value"), "1");
    assert.ok(await isInSight(progress));
    await dialog.getByText("Its keys are being rotated.").waitFor();
    await check(page, "forms are being rotated");
    resolve();
    await dialog.getByText("6 of 6 forms have new keys.").waitFor();
    await check(page, "all forms were rotated");
    // Those about whom nothing could be said wait for a word, with a locked key too.
    await page.goto("/members");
    await page.getByText("2 things wait for your key").waitFor();
    await page.getByText("1 member needs somebody who vouches for them").waitFor();
    await check(page, "somebody is to be confirmed with a locked key");
    await page.context().close();
  });
});

const isInSight = (target: Locator) =>
  target.evaluate((element) => {
    const { left, top, width, height, bottom } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return bottom <= window.innerHeight && hit !== null && element.contains(hit);
  });
