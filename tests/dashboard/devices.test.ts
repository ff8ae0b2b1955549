import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { showToCamera } from "../support/browser-devices.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { makeAda, recordRequests } from "../support/people.ts";
import { type MadePersonalKey, unlockWithSheet } from "../support/personal-key.ts";
import { spellings } from "../support/spellings.ts";
import { type Dashboard, person, startDashboard, untilFocused, untilFocusIsKept } from "./dashboard.ts";
import { tabTo } from "./tab-to.ts";

describe("a personal key on its way to another device", () => {
  let dashboard: Dashboard;
  let own: MadePersonalKey;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    ({ own } = await makeAda(dashboard.service));
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const unlocked = (page: Page) => page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
  const code = (page: Page) => page.getByTestId("device-code");

  const open = async (options?: Parameters<Dashboard["signIn"]>[1]) =>
    sent.record(await dashboard.signIn("/account/key", options));

  /** In a session of its own, as another device has one. */
  async function signInAgain(page: Page): Promise<void> {
    const { email, password } = person;
    // Not by the page: that would end the session of before, which the other device has here.
    const answer = await dashboard.service.request("POST", "/api/auth/sign-in/email", { body: { email, password } });
    assert.equal(answer.status, 200);
    const [name = "", value = ""] = (answer.headers.getSetCookie()[0]?.split(";")[0] ?? "").split("=");
    await page.context().addCookies([{ name, value, url: dashboard.service.url, sameSite: "Lax", httpOnly: true }]);
    await page.reload();
  }

  test("by keyboard alone a new phone gets the key from an open device: by a code that both show, and by its QR code before the camera, after which both show one too; codes that differ give nothing", async () => {
    const computer = await open();
    const mobile = await open(phone);
    await signInAgain(mobile);
    await unlockWithSheet(computer, own.sheet);
    await unlocked(computer);
    const press = async (page: Page, name: string) => {
      await tabTo(page, button(page, name));
      await page.keyboard.press("Enter");
    };
    await press(computer, "Give it to another device");
    await untilFocused(computer.getByRole("heading", { name: "Give your key to another device" }));
    await press(computer, "Compare codes");
    await computer.getByRole("alert").filter({ hasText: "No device of yours asks" }).waitFor();

    await press(mobile, "Another device");
    await press(mobile, "Ask another device");
    const shown = mobile.getByRole("img", { name: "This device as a code to scan" });
    await shown.waitFor();
    await untilFocusIsKept(mobile);
    await check(mobile, "a device that asks");

    // Differing codes: nothing is given, on both sides.
    await press(computer, "Compare codes");
    await press(mobile, "No, compare codes");
    await code(computer).waitFor();
    await code(mobile).waitFor();
    assert.equal(await code(computer).innerText(), await code(mobile).innerText());
    await check(mobile, "codes to compare");
    await press(computer, "The codes differ");
    await computer.getByRole("alert").filter({ hasText: "Nothing was given" }).waitFor();
    await mobile.getByRole("alert").filter({ hasText: "This request has ended" }).waitFor();
    for (const page of [computer, mobile]) await untilFocusIsKept(page);
    await check(mobile, "a request that has ended");

    await press(mobile, "Begin again");
    await shown.waitFor();
    await press(computer, "Compare codes");
    await press(mobile, "No, compare codes");
    await code(computer).waitFor();
    await code(mobile).waitFor();
    const digits = await code(mobile).innerText();
    assert.match(digits, /^\d{3}( \d{3}){4}$/);
    assert.equal(await code(computer).innerText(), digits);
    await press(computer, "Give the key");
    await computer.getByText("Your key is given").waitFor();
    // It has the key already, and takes it once its person has compared.
    await press(mobile, "It is the same");
    await unlocked(mobile);
    for (const page of [computer, mobile]) await untilFocusIsKept(page);

    // By camera: nobody has to compare, and both say what there is to compare.
    await button(mobile, "Lock now").click();
    await button(mobile, "Another device").click();
    await button(mobile, "Ask another device").click();
    await shown.waitFor();
    await showToCamera(computer, await shown.screenshot());
    await button(computer, "Back").click();
    await button(computer, "Give it to another device").click();
    await button(computer, "Scan its code").click();
    await mobile.getByRole("heading", { name: "Did your other device scan this code?" }).waitFor();
    await check(mobile, "whether the code was scanned");
    await button(mobile, "Yes, it scanned the code").click();
    await computer.getByText("Give your key to the device whose code you scanned?").waitFor();
    await code(computer).waitFor();
    await code(mobile).waitFor();
    const scanned = await code(computer).innerText();
    assert.notEqual(scanned, digits);
    assert.equal(await code(mobile).innerText(), scanned);
    await check(computer, "a scanned device");
    await check(mobile, "a device that was scanned");
    await button(computer, "Give the key").click();
    await unlocked(mobile);
    for (const page of [computer, mobile]) assert.equal(await code(page).innerText(), scanned, "and afterwards");
    await mobile.getByText("Look once more: your other device shows the same digits").waitFor();
    await check(mobile, "a key that has just come");

    const everything = sent.all();
    const secrets = [...own.sheet.lines, own.key.identity, own.key.signingSeed, own.sheet.identity];
    assert.ok(everything.includes(own.key.signingKey), "a control: the public half is found");
    for (const secret of secrets)
      for (const spelling of spellings(secret)) assert.equal(everything.includes(spelling), false, spelling);
    assert.ok(!everything.includes("AGE-SECRET-KEY"), "nor the new device's own identity");
    await computer.context().close();
    await mobile.context().close();
  });
});
