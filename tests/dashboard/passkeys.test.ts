import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { addAuthenticator } from "../support/browser-devices.ts";
import {
  assertAccessible,
  assertTouchable,
  type Dashboard,
  person,
  startDashboard,
  untilFocused,
} from "./dashboard.ts";
import { loseAnswers } from "./lose-answers.ts";

describe("passkeys", () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
    await dashboard.service.signUp(person.email);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  /** Whether the browser offers passkeys where the address is typed, on the pages that follow. */
  const setOffers = (page: Page, isOn: boolean) =>
    page.evaluate((value) => sessionStorage.setItem("offers", value), isOn ? "on" : "off");

  const signIn = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" });

  test("a person adds a passkey, names it, signs in with it without an address, and is led past a required second factor; on a phone, by keyboard", async () => {
    const page = await dashboard.open("/sign-in", { viewport: { width: 390, height: 844 } });
    await page.addInitScript(() => {
      if (sessionStorage.getItem("offers") === "off")
        PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const device = await addAuthenticator(page);
    // Nothing is on the device yet.
    await device.setLock(false);
    await signIn(page).click();
    await page.getByRole("alert").filter({ hasText: "No passkey was used" }).waitFor();
    await device.setLock(true);
    await assertAccessible(page, "sign-in with a passkey");
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Forms" }).waitFor();

    await page.goto("/account");
    const section = page.locator("#passkeys");
    await section.getByText("You have no passkey yet.").waitFor();
    await section.getByRole("button", { name: "Add a passkey" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Name this passkey" }).waitFor();
    await untilFocused(dialog.getByLabel("Name"));
    assert.equal(await dialog.getByLabel("Name").inputValue(), "Chrome on Linux");
    await assertAccessible(page, "name of a passkey");
    await dialog.getByLabel("Name").fill("Phone");
    await page.keyboard.press("Enter");
    const list = page.getByRole("list", { name: "Your passkeys" });
    await list.getByText("Phone").waitFor();
    await list.getByText("not used yet").waitFor();
    assert.equal(await device.count(), 1);
    await assertAccessible(page, "list of passkeys");
    await assertTouchable(page, "list of passkeys");
    const { scrollWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }));
    assert.ok(scrollWidth <= 390, `${scrollWidth} pixels`);

    // By the button, without an address.
    await setOffers(page, false);
    await page.context().clearCookies();
    await page.goto("/account");
    await signIn(page).focus();
    await page.keyboard.press("Enter");
    await list.getByText("last used").waitFor();
    // As the browser offers it where the address is typed.
    await setOffers(page, true);
    await page.context().clearCookies();
    await page.goto("/account");
    await list.getByText("last used").waitFor();

    // Who has signed in with the password confirms with the passkey, where a second factor is required.
    await setOffers(page, false);
    await page.context().clearCookies();
    await page.goto("/sign-in");
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    const { database } = dashboard.service;
    await sql`update organization set second_factor_from = 1`.execute(database);
    await page.reload();
    await page.getByRole("heading", { name: "Confirm with your passkey to continue" }).waitFor();
    await assertAccessible(page, "a second factor needed, with a passkey");
    await page.goto("/account");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await dialog.getByText("yours is a passkey").waitFor();
    await assertAccessible(page, "confirm with a passkey");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.goto("/");
    await page.getByRole("button", { name: "Confirm with a passkey" }).click();
    await page.getByRole("heading", { name: "Forms" }).waitFor();

    // The last one stays while it is required; then it goes, and opens nothing.
    await page.goto("/account");
    await page.getByRole("button", { name: "Remove Phone" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("alert").filter({ hasText: "this is your last one" }).waitFor();
    await assertAccessible(page, "the last passkey");
    await sql`update organization set second_factor_from = null`.execute(database);
    await dialog.getByRole("button", { name: "Remove" }).click();
    await section.getByText("You have no passkey yet.").waitFor();
    await page.context().clearCookies();
    await page.goto("/sign-in");
    await signIn(page).click();
    await page.getByRole("alert").filter({ hasText: "was removed" }).waitFor();
    await page.context().close();
  });

  test("a passkey whose answer was lost is in the list, and is added by no other press", async () => {
    const page = await dashboard.signInByPage();
    await addAuthenticator(page);
    await page.goto("/account");
    const find = await loseAnswers(page, "**/api/auth/passkeys");
    const add = page.getByRole("button", { name: "Add a passkey" });
    await add.click();
    await page.getByRole("alert").filter({ hasText: "It may have been done" }).waitFor();
    const rows = page.getByRole("list", { name: "Your passkeys" }).getByRole("listitem");
    await rows.waitFor();
    await find();
    await add.click();
    await page.getByText("This device has a passkey for your account already.").waitFor();
    assert.equal(await rows.count(), 1);
    await rows.getByRole("button", { name: /^Remove/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("You have no passkey yet.").waitFor();
    await page.context().close();
  });

  test("a passkey that unlocks a key is named as that where somebody signs in with it, and the browser keeps it", async () => {
    const page = await dashboard.open("/sign-in");
    const device = await addAuthenticator(page, { hasPrf: true });
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.evaluate(async () => {
      // As the page of the key makes one: the library's call.
      await navigator.credentials.create({
        publicKey: {
          rp: { name: "", id: window.location.hostname },
          user: { name: "Sealpost key", id: crypto.getRandomValues(new Uint8Array(8)), displayName: "" },
          pubKeyCredParams: [{ type: "public-key", alg: -7 }],
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
          extensions: { prf: {} },
          challenge: new Uint8Array([0]),
        },
      });
      PublicKeyCredential.signalUnknownCredential = async () => {
        document.documentElement.dataset.forgotten = "yes";
      };
    });
    await signIn(page).click();
    await page.getByRole("alert").filter({ hasText: "This passkey unlocks your key, and can't sign in." }).waitFor();
    await assertAccessible(page, "a passkey of a key at the sign-in");
    assert.equal(await page.locator("html[data-forgotten]").count(), 0);
    assert.equal(sent.filter((url) => url.endsWith("/passkeys/sign-in")).length, 0, "it is not sent");
    assert.equal(await device.count(), 1);
    await page.context().close();
  });
});
