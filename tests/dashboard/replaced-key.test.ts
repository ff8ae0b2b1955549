import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { generatePersonalKey } from "@sealpost/envelope";
import type { Page } from "playwright-core";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { sayTheseAreRight, showRows } from "../support/first-sights.ts";
import { addProgram, addToList, findList, makeAdaWithForm, makeReader, recordRequests } from "../support/people.ts";
import { holdCeremony, type MadePersonalKey, unlockWithSheet } from "../support/personal-key.ts";
import { spellings } from "../support/spellings.ts";
import { type Dashboard, startDashboard, untilFocused, untilFocusIsKept } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { tabTo } from "./tab-to.ts";

describe("a personal key that is replaced", () => {
  let dashboard: Dashboard;
  let own: MadePersonalKey;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    ({ own } = (await makeAdaWithForm(dashboard.service, "yes-please")).ada);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const unlocked = (page: Page) => page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();

  const open = async (path: string, options?: Parameters<Dashboard["signIn"]>[1]) =>
    sent.record(await dashboard.signIn(path, options));

  /** Unlocks with the sheet, which is one of several ways. */
  async function unlock(page: Page, lines: readonly string[]): Promise<void> {
    await page.getByText("Unlock your key", { exact: true }).first().waitFor();
    if (await button(page, "Recovery sheet").isVisible()) await button(page, "Recovery sheet").click();
    await page.getByLabel("Line 1").fill(lines.join(" "));
    await button(page, "Unlock").click();
  }

  test("by keyboard alone on a phone a stolen key is replaced, in the list and in the forms; another browser asks before it takes the new one, and the key before is brought back", async () => {
    // A browser that has seen the key before.
    const other = await open("/account/key");
    await unlockWithSheet(other, own.sheet);
    await unlocked(other);
    await button(other, "Lock now").click();

    const page = await open("/account/key", phone);
    await unlockWithSheet(page, own.sheet);
    await unlocked(page);
    const { keyboard } = page;
    const press = async (name: string) => {
      await tabTo(page, button(page, name));
      await keyboard.press("Enter");
    };
    await press("Replace your key…");
    await untilFocused(page.getByRole("heading", { name: "Replace your key" }));
    await check(page, "replace your key");
    await press("Make the new key");
    await untilFocused(page.getByRole("heading", { name: "Keep these six words" }));
    const given = page.getByRole("list", { name: "Your six words" }).getByRole("listitem");
    await given.nth(5).waitFor();
    const words = (await given.allInnerTexts()).join(" ");
    await press("I have kept them");
    await tabTo(page, page.getByLabel("Six words", { exact: true }));
    await keyboard.type(words);
    await keyboard.press("Enter");
    await untilFocused(page.getByRole("heading", { name: "Print your recovery sheet" }));
    await tabTo(page, page.getByText("No printer? Write the four lines down"));
    await keyboard.press("Enter");
    const shown = page.getByTestId("sheet-lines").first().getByRole("listitem");
    const lines = (await shown.allInnerTexts()).map((line) => line.trim());
    await press("I have the sheet on paper");
    await untilFocused(page.getByRole("heading", { name: "Show that the sheet works" }));
    for (const [index, line] of lines.entries()) {
      await tabTo(page, page.getByLabel(`Line ${index + 1}`));
      await keyboard.type(line);
    }
    await keyboard.press("Enter");
    await untilFocused(page.getByRole("heading", { name: "One step left: keep your key" }));
    await press("Keep my key");
    await untilFocused(page.getByRole("heading", { name: "Your key is ready" }));
    await press("See the ways to unlock it");
    await page.getByText("The list of members still has your former key.").waitFor();
    await check(page, "the key was replaced");
    await press("Carry your forms over");
    await page.getByText("The list of members has your key.").waitFor();
    // The former key wrote the form's envelope last, and this browser had not seen it: somebody else may have had that key.
    await page.getByText("That was with a former key of yours, which was replaced").waitFor();
    await check(page, "a form to look at before it is carried over");
    await showRows(page.getByRole("region", { name: "1 form, signed by" }));
    await press("These are right");
    await page.getByText("1 form was changed").waitFor();
    await untilFocusIsKept(page);
    await check(page, "forms carried over");

    // The new key alone opens the form, also where nothing was seen before.
    const fresh = await open("/account/key");
    await unlock(fresh, lines);
    await unlocked(fresh);
    await fresh.getByRole("link", { name: "Forms", exact: true }).first().click();
    await fresh
      .getByRole("link", { name: /Works council/ })
      .first()
      .click();
    await fresh.getByText("yes-please").first().waitFor();
    await fresh.context().close();

    // The browser that has seen the one before asks, and takes nothing before it is answered.
    await other.reload();
    const asked = other.getByRole("alert").filter({ hasText: "Your key was replaced" });
    await asked.waitFor();
    await check(other, "the key was replaced elsewhere");
    await unlock(other, lines);
    await other.getByRole("alert").filter({ hasText: "a copy of another key than yours" }).waitFor();
    await button(other, "I did that: use this key").click();
    await button(other, "Unlock").click();
    await unlocked(other);

    // Undone; that browser knows which of the two came later.
    await button(page, "Bring it back").click();
    const dialog = page.getByRole("dialog");
    await check(page, "bring the key back");
    await dialog.getByRole("button", { name: "Bring it back" }).click();
    await page.getByText("The key is back.").waitFor();
    await unlock(page, own.sheet.lines);
    await unlocked(page);
    await button(page, "Carry your forms over").click();
    await page.getByText("1 form was changed").waitFor();
    await other.reload();
    await other.getByRole("alert").filter({ hasText: "The server shows a key that you had replaced" }).waitFor();
    await other.context().close();
    await page.context().close();

    const everything = sent.all();
    const secrets = [words, ...lines, ...own.sheet.lines, own.key.identity, own.key.signingSeed, own.sheet.identity];
    assert.ok(everything.includes(own.key.signingKey), "a control: the public half is found");
    for (const secret of secrets)
      for (const spelling of spellings(secret)) assert.equal(everything.includes(spelling), false, spelling);
  });

  test("a new device that has seen nothing of a key which was replaced and not carried over offers to do it; where the server hides what the new key has signed it says which ways there are, and brought back with its paper and replaced again there, the forms come along", async () => {
    const replace = async (page: Page) => {
      await button(page, "Replace your key…").click();
      await button(page, "Make the new key").click();
      const paper = await holdCeremony(page);
      await button(page, "See the ways to unlock it").click();
      return paper;
    };
    // The only browser that has seen the former key is lost before anything was carried over.
    const lost = await open("/account/key");
    await unlock(lost, own.sheet.lines);
    await unlocked(lost);
    const { lines } = await replace(lost);
    await button(lost, "Carry your forms over").waitFor();
    await lost.context().close();

    const honest = await open("/account/key");
    await unlock(honest, lines);
    await button(honest, "Carry your forms over").waitFor();
    await honest.context().close();

    const page = await open("/account/key", phone);
    await intercept(page, "**/api/account/signed-heads", (route) => route.fulfill({ json: { signedHeads: [] } }));
    await unlock(page, lines);
    const notice = page.getByRole("alert").filter({ hasText: "this device can't do it" });
    await notice.waitFor();
    await check(page, "nothing was seen here");
    assert.equal(await button(page, "Carry your forms over").count(), 0);
    await button(page, "Show the former keys").click();
    await untilFocused(page.locator("#former-keys"));
    await bringBack(page);
    await button(page, "I did that: use this key").click();
    await unlock(page, own.sheet.lines);
    await unlocked(page);
    await replace(page);
    await button(page, "Carry your forms over").click();
    await sayTheseAreRight(page);
    await page.getByText("1 form was changed").waitFor();
    await page.context().close();
  });

  test("who replaces a stolen key is shown everybody whom it has brought in, on a phone; a program that nobody claims is removed, and who is claimed stays", async () => {
    const there = await startDashboard();
    try {
      const { ada: anna, form } = await makeAdaWithForm(there.service, "yes-please");
      const bo = await makeReader(there.service, anna, form);
      await addToList(anna, bo, "reader");
      const { recipient } = await generatePersonalKey();
      const program = await addProgram(anna, "Reports", recipient);
      const page = await there.signIn("/account/key", phone);
      await unlockWithSheet(page, anna.own.sheet);
      await unlocked(page);
      await button(page, "Replace your key…").click();
      await button(page, "Make the new key").click();
      await holdCeremony(page);
      await button(page, "See the ways to unlock it").click();
      await page.getByText("You brought these in: was it you?").waitFor();
      await page.getByText(/Brought in with your former key. Entry 3 of the list/).waitFor();
      await check(page, "who was brought in");
      const rowOf = (name: string) => page.getByRole("group", { name });
      assert.ok(
        await rowOf("Reports")
          .getByRole("radio", { name: /^It was not me/ })
          .isChecked(),
        "claimed by nobody",
      );
      await rowOf("Bo Example")
        .getByRole("radio", { name: /^It was me/ })
        .focus();
      await page.keyboard.press("Space");
      await tabTo(page, button(page, "Carry your forms over"));
      await page.keyboard.press("Enter");
      // Signed for others: the organization is shown first, in a browser that has sealed nothing there yet.
      await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
      await sayTheseAreRight(page);
      await page.getByText("1 form was changed").waitFor();
      const { members } = (await findList(anna)) ?? assert.fail();
      assert.deepEqual([members.has(program), members.has(bo.account.id)], [false, true]);
      assert.deepEqual(there.complaints, []);
    } finally {
      await there.close();
    }
  });

  /** The one that was replaced last. */
  async function bringBack(page: Page): Promise<void> {
    await button(page, "Bring it back").first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Bring it back" }).click();
    await page.getByText("The key is back.").waitFor();
  }
});
