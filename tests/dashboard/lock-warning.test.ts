import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { CreatedForm } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { beginList, makeAda, makeSealedForm, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, submit } from "./dashboard.ts";

const minute = 60_000;

/** Each as a person who reads does it. */
const uses = {
  "the pointer moves": (page: Page) => page.mouse.move(30, 300 + Math.random() * 100),
  "the wheel turns": (page: Page) => page.mouse.wheel(0, 40),
  "a key is pressed": (page: Page) => page.keyboard.press("Shift"),
  "the button for it is pressed": (page: Page) => button(page, "Keep it unlocked").dispatchEvent("click"),
} as const;

describe("a key that locks by itself", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard();
    ada = await makeAda(dashboard.service);
    await beginList(ada);
    form = await makeSealedForm(ada, "Vote");
    for (const name of ["Bo", "Cleo", "Dora"])
      await submit(dashboard.service, form, { name, wish: "a long text ".repeat(200) });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints.splice(0), []));

  async function openInbox(options: Parameters<typeof openBrowserOf>[2] = {}): Promise<Page> {
    const page = await openBrowserOf(ada, dashboard, options);
    page.setDefaultTimeout(10_000);
    // The clock of all tabs of this browser.
    await page.clock.install();
    await page.goto(`/forms/${form.id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("3 submissions", { exact: true }).waitFor();
    return page;
  }
  const warning = (page: Page) => page.getByText("Your key locks in a minute.");
  const locked = (page: Page) => page.getByRole("heading", { name: "These submissions are sealed" });

  for (const [name, use] of Object.entries(uses))
    test(`warns a minute before, stays open when ${name}, in every tab, and warns again`, async () => {
      const page = await openInbox();
      const other = await page.context().newPage();
      // A page that does not use the key.
      await other.goto("/account");
      await other.getByRole("heading", { name: "Account", exact: true }).waitFor();
      await other.waitForLoadState("networkidle");
      await page.clock.fastForward(13 * minute);
      assert.equal(await warning(page).count(), 0);
      await page.clock.fastForward(minute);
      for (const tab of [page, other]) await warning(tab).waitFor();
      await use(other);
      for (const tab of [page, other]) await warning(tab).waitFor({ state: "detached" });
      await page.clock.fastForward(13 * minute);
      assert.equal(await warning(page).count(), 0);
      await page.clock.fastForward(minute);
      await warning(page).waitFor();
      await page.clock.fastForward(minute);
      await locked(page).waitFor();
      assert.equal(await other.locator("[aria-live=assertive]").textContent(), "Your key has been locked.");
      await page.context().close();
    });

  for (const [screen, options] of Object.entries({ "a computer": {}, "a phone": phone }))
    test(`on ${screen}: is heard before and after, whatever is above the page, and search, selection and columns are there again after unlocking`, async () => {
      const page = await openInbox(options);
      const search = page.getByRole("searchbox");
      await search.fill("o");
      await page
        .getByRole("checkbox", { name: /Select/ })
        .nth(1)
        .check();
      await page.getByText("1 selected").first().waitFor();
      await page.getByRole("row").nth(1).getByRole("button").click();
      await page.clock.fastForward(14 * minute);
      await warning(page).waitFor();
      assert.equal(
        await page
          .locator("[aria-live=assertive]")
          .filter({ has: warning(page) })
          .count(),
        1,
      );
      const isAbove = await warning(page).evaluate((text) => {
        const { x, y, width, height } = text.getBoundingClientRect();
        return (
          text.closest("[popover]")?.matches(":popover-open") &&
          x >= 0 &&
          y >= 0 &&
          x + width <= innerWidth &&
          height > 0
        );
      });
      assert.ok(isAbove, "in the top layer, and in sight");
      await check(page, `the warning before the lock, on ${screen}`);
      await page.clock.fastForward(minute);
      await locked(page).waitFor();
      assert.equal(await page.locator("[aria-live=assertive]").textContent(), "Your key has been locked.");
      assert.equal(await warning(page).count(), 0);
      await unlockWithSheet(page, ada.own.sheet);
      await page.getByText("1 selected").first().waitFor();
      assert.equal(await search.inputValue(), "o");
      assert.equal(await page.locator("[aria-live=assertive]").textContent(), "");
      await page.context().close();
    });
});
