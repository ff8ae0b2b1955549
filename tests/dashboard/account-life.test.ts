import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { checkPage, phone } from "../support/check-page.ts";
import { openBrowserOf } from "../support/people.ts";
import { isFor, roles } from "./compare-rows.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  person,
  startDashboard,
  untilFocused,
  untilFocusIsKept,
} from "./dashboard.ts";

describe("the life of an account", () => {
  let dashboard: Dashboard;
  let client: Client;

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
    await client.forms.create({ name: "Contact", settings: { encryption: false } });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  for (const role of roles.filter((one) => one !== "owner"))
    test(`a ${role} who leaves an organization reads that they have left it, and the next Tab does not begin at the top`, async () => {
      const { service } = dashboard;
      const owner = await service.signUp(`owner-of-${role}@example.com`, "Olive Owner");
      const wanted = role === "reader" || role === "developer" ? { role, forms: [] } : { role };
      const account = await addPerson(service, owner, `${role}@example.com`, wanted, "Lee Leaving");
      const page = await openBrowserOf({ account }, dashboard, phone);
      // Roles that see the members leave there, the others in their account.
      await page.goto(isFor(role, "members") ? "/members" : "/account");
      await page.getByRole("button", { name: "Leave", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Leave", exact: true }).click();
      await page
        .getByText("You have left “")
        .or(page.getByRole("heading", { name: "You no longer belong to this organization" }))
        .waitFor();
      await untilFocusIsKept(page);
      await checkPage(page, `a ${role} who has left`);
      await page.context().close();
    });

  test("on a phone a person renames themselves, exports what is known about them, deletes the account knowing what goes with it, and keeps it after all", async () => {
    const page = await dashboard.signIn("/account", { viewport: { width: 390, height: 844 }, acceptDownloads: true });
    const assertFits = async (place: string) => {
      await assertAccessible(page, place);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${place}: ${wide} pixels too wide`);
    };
    await page.getByRole("button", { name: "Change name" }).focus();
    await page.keyboard.press("Enter");
    const rename = page.getByRole("dialog", { name: "Change your name" });
    await rename.getByLabel("Name").fill("Ada Renamed");
    await page.keyboard.press("Enter");
    await page.getByText("Ada Renamed").first().waitFor();

    await page.getByRole("button", { name: "Change address" }).click();
    const move = page.getByRole("dialog", { name: "Move to another email address" });
    await move.getByLabel("New email address").fill("new@example.com");
    await move.getByRole("button", { name: "Send the emails" }).click();
    await move.getByText("This instance sends no emails").waitFor();
    await assertFits("moving to another address");
    await move.getByRole("button", { name: "Cancel" }).click();

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export my data" }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), "sealpost-account.json");
    const found = JSON.parse(await readFile(await download.path(), "utf8"));
    assert.deepEqual([found.format, found.account.name], ["sealpost-account/1", "Ada Renamed"]);

    await page.getByRole("button", { name: "Delete account" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete your account" });
    await dialog
      .getByText("is deleted with it: nobody else belongs to it. one form and no")
      .or(dialog.getByText("one form and 0 submissions go."))
      .first()
      .waitFor();
    await assertFits("deleting the account");
    await dialog.getByLabel(`Type ${person.email} to confirm`).fill("somebody@example.com");
    await page.keyboard.press("Enter");
    await dialog.getByText("That is not your email address.").waitFor();
    await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sign-in/);

    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const banner = page.getByRole("region", { name: "Your account will be deleted" });
    await banner.getByText("It is deleted for good from").waitFor();
    await assertFits("an account that is to be deleted");
    await banner.getByRole("button", { name: "Keep my account" }).click();
    await banner.waitFor({ state: "detached" });
    await untilFocused(page.locator("#content"));
    await page.getByRole("region", { name: "This organization will be deleted" }).waitFor({ state: "detached" });

    // A link of an email where nobody is signed in, on a phone that reloads its tabs: the link is not lost on the way.
    await page.context().clearCookies();
    await page.goto("/address#nmade-up");
    await page.reload();
    await page.getByRole("button", { name: "Confirm the move" }).click();
    await page.getByText("Sign in to the account first.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Confirm the move" }).click();
    const used = page.getByText("This link was used or refused, or is too old.");
    await used.waitFor();
    await untilFocusIsKept(page);
    await page.goto("/address#umade-up");
    await page.getByRole("button", { name: "Undo the move" }).click();
    await page.getByText("This link was used or refused, or is too old.").waitFor();
    await assertFits("a link that is used up");
    await page.context().close();
  });
});
