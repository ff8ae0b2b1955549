import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { generatePersonalKey, generateSheet, type PersonalKey, sealKeyCopy } from "@sealpost/envelope";
import { encodeBase64Url } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { spellings } from "../support/spellings.ts";
import { assertWordsRefused, type Dashboard, person, startDashboard, untilFocused } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { loseAnswers } from "./lose-answers.ts";
import { tabTo } from "./tab-to.ts";

const strong = "Minka steals seven turquoise umbrellas from the Łódź observatory";

describe("choosing a passphrase", () => {
  let dashboard: Dashboard;
  let key: PersonalKey;
  const sent: string[] = [];

  before(async () => {
    dashboard = await startDashboard();
    await dashboard.service.signUp(person.email);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const alert = (page: Page, hasText: string) => page.getByRole("alert").filter({ hasText });

  async function openPage(path: string, options?: Parameters<Dashboard["signIn"]>[1]): Promise<Page> {
    const page = await dashboard.signIn(path, options);
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    return page;
  }

  test("by keyboard on a phone a weak passphrase, two that differ and the sign-in password are refused, nothing of them is sent, and a strong one is a way to unlock", async () => {
    key = await generatePersonalKey();
    const { recipient } = await generateSheet("personal");
    const copy = encodeBase64Url(await sealKeyCopy(key, { recipient }));
    const owned = encodeBase64Url(await sealKeyCopy(key, { passphrase: "first six words of the key" }));
    const copies = [
      { way: "sheet", name: "Sheet", file: copy },
      { way: "passphrase", name: "Words", file: owned },
    ];
    const page = await openPage("/account/key", phone);
    const stored = await page.evaluate(
      async (body) =>
        (
          await fetch("/api/account/personal-key", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          })
        ).status,
      { recipient: key.recipient, signingKey: key.signingKey, copies },
    );
    assert.equal(stored, 200);
    await page.reload();
    await page.getByLabel("Your six words or passphrase").fill("First six, words of the key");
    await page.keyboard.press("Enter");
    await tabTo(page, button(page, "Change the words"));
    await page.keyboard.press("Enter");
    await untilFocused(page.getByRole("heading", { name: "Keep these six words" }));
    await tabTo(page, button(page, "Choose a passphrase instead"));
    await page.keyboard.press("Enter");
    await untilFocused(page.getByRole("heading", { name: "Choose a passphrase" }));

    const passphrase = page.getByLabel("Passphrase", { exact: true });
    const repeated = page.getByLabel("Passphrase once more");
    await tabTo(page, passphrase);
    await page.keyboard.press("Enter");
    await alert(page, "Type the passphrase that is to open your key").waitFor();
    await page.keyboard.type("too weak");
    await page.getByRole("status").filter({ hasText: "Too easy to guess so far" }).waitFor();
    await page.keyboard.press("Enter");
    await alert(page, "This is too easy to guess").waitFor();
    await untilFocused(passphrase);
    await check(page, "a weak passphrase");
    await passphrase.fill(strong);
    await page.getByRole("status").filter({ hasText: "Hard enough to guess" }).waitFor();
    await tabTo(page, repeated);
    await page.keyboard.type(`${strong}!`);
    await page.keyboard.press("Enter");
    await alert(page, "This is not what you typed above").waitFor();
    await untilFocused(repeated);
    // A phone's keyboard adds a space to the word that it completes.
    await repeated.fill(`${strong} `);
    await page.keyboard.press("Enter");

    // The passphrase in the place of the password is not sent, in whatever spelling.
    const dialog = page.getByRole("dialog", { name: "Your sign-in password" });
    await untilFocused(dialog.getByLabel("Current password"));
    await check(page, "the sign-in password is asked for");
    await page.keyboard.type(strong.toUpperCase());
    await page.keyboard.press("Enter");
    await alert(page, "This is your sign-in password").waitFor();
    await untilFocused(passphrase);
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Current password").fill("not the password");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Current password").fill(person.password);
    await page.keyboard.press("Enter");
    await untilFocused(page.getByRole("heading", { name: "Change the words" }));
    // Its answer is lost: the same is sent again, and is one way to unlock.
    const find = await loseAnswers(page);
    await tabTo(page, button(page, "Save changes"));
    await page.keyboard.press("Enter");
    await alert(page, "No answer came").waitFor();
    await find();
    await tabTo(page, button(page, "Save changes"));
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "The words are changed." }).waitFor();
    const ways = page.getByRole("list", { name: "Your ways to unlock" }).getByRole("listitem");
    await ways.filter({ hasText: "Passphrase of" }).waitFor();
    await check(page, "a passphrase among the ways");

    await button(page, "Lock now").click();
    const typed = page.getByLabel("Your six words or passphrase");
    await typed.fill(strong.toLowerCase());
    await page.keyboard.press("Enter");
    await alert(page, "upper and lower case count").waitFor();
    await typed.fill(`  ${strong.normalize("NFD").replaceAll(" ", "\u00a0 ")}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    assert.equal(await alert(page, "Your passphrase is your sign-in password").count(), 0);
    const everything = sent.join("\n");
    assert.ok(
      spellings(person.password).some((spelling) => everything.includes(spelling)),
      "a control",
    );
    for (const spelling of spellings(strong))
      for (const place of [everything, everything.toLowerCase()])
        assert.equal(place.includes(spelling), false, spelling);
    await page.context().close();
  });

  test("a new sign-in password that opens the key is refused before it is sent, on the account's page and after a reset's link where somebody is signed in", async () => {
    const page = await openPage("/account/key");
    // This browser has now seen the key.
    await page.getByLabel("Your six words or passphrase").fill(strong);
    await button(page, "Unlock").click();
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    await page.goto("/account");
    await page.getByLabel("Current password").fill(person.password);
    await assertWordsRefused(page, page.getByLabel("New password"), "Change password");
    await page.getByLabel("New password").fill(strong);
    await button(page, "Change password").click();
    await alert(page, "This opens your key").waitFor();
    await untilFocused(page.getByLabel("New password"));
    await check(page, "a password that opens the key");
    // A server that hides the key from the page, or fails where the page asks for a copy of it.
    const isHidden = "but this browser has seen one. So nobody can tell";
    const noKey = { personalKey: null, copies: [], formerKeys: [] };
    await intercept(page, "**/api/account/personal-key", (route) => route.fulfill({ json: noKey }));
    await button(page, "Change password").click();
    await alert(page, isHidden).waitFor();
    await page.goto("/reset-password#made-up");
    await page.getByLabel("New password").fill(strong);
    await button(page, "Set password").click();
    await alert(page, isHidden).waitFor();
    await check(page, "a hidden key at a reset's link");
    await page.unroute("**/api/account/personal-key");
    const failed = { error: "internal_error", message: "Something went wrong" };
    await intercept(page, "**/api/account/key-copies/*", (route) => route.fulfill({ status: 500, json: failed }));
    await button(page, "Set password").click();
    await alert(page, "Something went wrong on the server").waitFor();
    await page.unroute("**/api/account/key-copies/*");
    await button(page, "Set password").click();
    await alert(page, "This opens your key").waitFor();
    assert.deepEqual(
      sent.filter((request) => /change-password|reset-password \{/.test(request)),
      [],
    );
    // Who has forgotten the password that would confirm the session gets on with the link.
    const stale = { error: "forbidden", message: "Sign in again to do this", code: "session_stale" };
    await intercept(page, "**/api/account/key-copies/*", (route) => route.fulfill({ status: 403, json: stale }));
    await button(page, "Set password").click();
    await page.getByRole("alert").filter({ hasNotText: "This opens your key" }).waitFor();
    assert.equal(sent.filter((request) => /reset-password \{/.test(request)).length, 1);
    await page.unroute("**/api/account/key-copies/*");
    // A control: another one is sent.
    await page.getByLabel("New password").fill("quite another passphrase");
    const answered = page.waitForResponse("**/reset-password");
    await button(page, "Set password").click();
    await answered;
    assert.equal(sent.filter((request) => /reset-password \{/.test(request)).length, 2);
    await page.context().close();
  });

  test("a password that is the passphrase all the same is noticed when the key is unlocked, and the page says what helps", async () => {
    // Set by somebody's program, which the service can't refuse: it knows no passphrase.
    const { service } = dashboard;
    const signedIn = await service.request("POST", "/api/auth/sign-in/email", {
      body: { email: person.email, password: person.password },
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const changed = await service.request("POST", "/api/auth/change-password", {
      body: { currentPassword: person.password, newPassword: strong },
      headers: { cookie, origin: service.url },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const page = await dashboard.open("/sign-in?next=/account/key");
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(strong);
    await button(page, "Sign in").click();
    await page.getByLabel("Your six words or passphrase").fill(strong);
    await button(page, "Unlock").click();
    await alert(page, "Your passphrase is your sign-in password").waitFor();
    await check(page, "a passphrase that the server has seen");
    await button(page, "Lock now").click();
    await page.getByRole("heading", { name: "Unlock your key" }).waitFor();
    await page.context().close();
  });
});
