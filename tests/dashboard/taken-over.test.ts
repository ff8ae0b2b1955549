import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { assertAccessible, createAccount, type Dashboard, person, startDashboard } from "./dashboard.ts";

const clock = createFakeClock(Date.now());

describe("an account that somebody else may have had", () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard({ clock });
    await createAccount(dashboard.service);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function nameKey(page: Page, name: string): Promise<void> {
    await page.getByRole("button", { name: "New API key" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create key" }).click();
  }

  test("a session that is older than an hour is asked for the password, and goes on with the API key that was wanted", async () => {
    const page = await dashboard.signInByPage();
    clock.advance(3_600_001);
    await page.goto("/api-keys");
    await nameKey(page, "Backup");
    const asking = page.getByRole("dialog", { name: "Enter your password again" });
    await asking.waitFor();
    const field = asking.getByLabel("Current password", { exact: true });
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    await assertAccessible(page, "the question for the password");
    await page.keyboard.press("Escape");
    await page.getByRole("alert").filter({ hasText: "Sign in again to do this" }).waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await field.fill("not the password");
    await page.keyboard.press("Enter");
    await asking.getByText("The password is wrong").waitFor();
    await field.fill(person.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Copy the key now" }).waitFor();
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("listitem").filter({ hasText: "Backup" }).waitFor();
    await page.context().close();
  });
});
