import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { showCode } from "../../packages/server/src/accounts/testing/authenticator.ts";
import { createAccount, type Dashboard, person, startDashboard } from "./dashboard.ts";
import { loseAnswers } from "./lose-answers.ts";

describe("a second factor whose answers are lost", () => {
  let dashboard: Dashboard;
  let backupCodes: readonly string[] = [];
  before(async () => {
    dashboard = await startDashboard();
    await createAccount(dashboard.service);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const readCodes = (page: Page) =>
    page.getByRole("list", { name: "Backup codes" }).getByRole("listitem").allInnerTexts();

  async function enter(page: Page): Promise<void> {
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
  }

  /** Signs in with a backup code, or finds that it is refused. */
  async function signInWith(page: Page, code: string, isGood = true): Promise<void> {
    await enter(page);
    await page.getByRole("button", { name: "Use a backup code instead" }).click();
    await page.getByLabel("Backup code").fill(code);
    await page.keyboard.press("Enter");
    if (isGood) await page.getByRole("heading", { name: "Forms" }).waitFor();
    else await page.getByRole("alert").filter({ hasText: "wrong or was used before" }).waitFor();
  }

  test("who never hears that it is on reads so at the sign-in, has the backup codes already, and signs in with one", async () => {
    const page = await dashboard.signInByPage();
    await page.goto("/account");
    await page.getByRole("button", { name: "Turn on" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
    await dialog.getByRole("heading", { name: "Keep your backup codes" }).waitFor();
    backupCodes = await readCodes(page);
    await dialog.getByRole("button", { name: "I have kept them" }).click();
    const secret = (await dialog.getByTestId("secret").innerText()).replaceAll(/\s/g, "");
    await dialog.getByLabel("Code of the app").fill(showCode(`otpauth://totp/Sealpost?secret=${secret}`));
    const find = await loseAnswers(page);
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "where it is on, you are asked for a code" }).waitFor();
    await find();
    await signInWith(page, backupCodes[0] ?? "");
    await page.context().close();
  });

  test("new backup codes count once they were seen: where they, or the answer to that, were lost, no code on paper is worth nothing", async () => {
    const page = await dashboard.open("/sign-in");
    await signInWith(page, backupCodes[1] ?? "");
    await page.goto("/account");
    await page.getByRole("button", { name: "New backup codes" }).click();
    const dialog = page.getByRole("dialog", { name: "New backup codes" });
    const ask = async (code: string) => {
      await dialog.getByLabel("Current password", { exact: true }).fill(person.password);
      await dialog.getByLabel("Code of the app, or a backup code").fill(code);
      await dialog.getByRole("button", { name: "New backup codes" }).click();
    };
    let find = await loseAnswers(page);
    await ask(backupCodes[2] ?? "");
    await dialog.getByRole("alert").filter({ hasText: "reach" }).waitFor();
    await find();
    await ask(backupCodes[3] ?? "");
    const keep = page.getByRole("dialog", { name: "Keep your backup codes" });
    await keep.waitFor();
    const codes = await readCodes(page);
    find = await loseAnswers(page);
    await keep.getByRole("button", { name: "I have kept them" }).click();
    await keep.getByRole("alert").filter({ hasText: "The new codes may count by now" }).waitFor();
    await find();
    await keep.getByRole("button", { name: "I have kept them" }).click();
    await page.getByRole("status").filter({ hasText: "The new backup codes count" }).waitFor({ state: "attached" });
    await page.context().close();
    for (const [code = "", isGood] of [[backupCodes[4], false] as const, [codes[0], true] as const]) {
      const other = await dashboard.open("/sign-in");
      await signInWith(other, code, isGood);
      await other.context().close();
    }
    backupCodes = codes;
  });

  test("who never hears that it is off reads at the sign-in how to find out, and needs no code any more", async () => {
    const page = await dashboard.open("/sign-in");
    await signInWith(page, backupCodes[1] ?? "");
    await page.goto("/account");
    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password", { exact: true }).fill(person.password);
    await dialog.getByLabel("Code of the app, or a backup code").fill(backupCodes[2] ?? "");
    const find = await loseAnswers(page);
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("status").filter({ hasText: "where it is on, you are asked for a code" }).waitFor();
    await find();
    await enter(page);
    await page
      .getByRole("heading", { name: "Forms" })
      .or(page.getByRole("heading", { name: "Account" }))
      .waitFor();
    await page.context().close();
  });
});
