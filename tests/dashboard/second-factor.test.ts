import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Locator, Page } from "playwright-core";
import { showCode, showWrongCode } from "../../packages/server/src/accounts/testing/authenticator.ts";
import { auditCounts } from "../../packages/server/src/audit-log/audit-entry.ts";
import { recordAction } from "../../packages/server/src/audit-log/audit-log-store.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  holdReads,
  person,
  startDashboard,
  untilFocused,
} from "./dashboard.ts";

describe("the second factor and the audit log", () => {
  let dashboard: Dashboard;
  let uri = "";
  let backupCodes: readonly string[] = [];
  before(async () => {
    dashboard = await startDashboard();
    await createAccount(dashboard.service);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  /** For screen readers the error belongs to the field, and the focus is there. */
  async function assertErrorAt(field: Locator, message: string): Promise<void> {
    await field.page().getByRole("alert").filter({ hasText: message }).waitFor();
    await untilFocused(field);
    const found = await field.evaluate((element) => ({
      isInvalid: element.getAttribute("aria-invalid"),
      texts: element
        .getAttribute("aria-describedby")
        ?.split(" ")
        .map((id) => document.getElementById(id)?.innerText),
    }));
    assert.deepEqual([found.isInvalid, found.texts?.at(-1)], ["true", message]);
  }

  /** Types email address and password; then the page asks for the code. */
  async function begin(path = "/sign-in"): Promise<Page> {
    const page = await dashboard.open(path);
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your code" }).waitFor();
    return page;
  }

  test("the second factor is set up by keyboard: password, backup codes, which are shown once and can be kept, secret, first code", async () => {
    const page = await dashboard.signInByPage();
    await page.goto("/account");
    await page.getByRole("button", { name: "Turn on" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    // The focus is in the field already.
    await dialog.getByLabel("Current password", { exact: true }).waitFor();
    await page.keyboard.type("not the password");
    await page.keyboard.press("Enter");
    await assertErrorAt(dialog.getByLabel("Current password", { exact: true }), "The password is wrong");
    await assertAccessible(page, "second factor, password");
    await dialog.getByLabel("Current password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");

    // Before anything has changed: the answer to the code may be lost, and then nobody could show them.
    await dialog.getByRole("heading", { name: "Keep your backup codes" }).waitFor();
    backupCodes = await dialog.getByRole("list", { name: "Backup codes" }).getByRole("listitem").allInnerTexts();
    assert.equal(new Set(backupCodes).size, 10);
    // The second Enter of an impatient one passes over nothing.
    await untilFocused(dialog.getByRole("heading", { name: "Keep your backup codes" }));
    await page.keyboard.press("Enter");
    await untilFocused(dialog.getByRole("heading", { name: "Keep your backup codes" }));
    await assertAccessible(page, "second factor, backup codes");
    const downloading = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download codes" }).click();
    const content = await readFile(await (await downloading).path(), "utf8");
    assert.ok(content.includes(person.email) && backupCodes.every((code) => content.includes(code)));
    await dialog.getByRole("button", { name: "I have kept them" }).click();

    await dialog.getByRole("img", { name: /QR code/ }).waitFor();
    const secret = (await dialog.getByTestId("secret").innerText()).replaceAll(/\s/g, "");
    uri = `otpauth://totp/Sealpost?secret=${secret}`;
    await assertAccessible(page, "second factor, secret");
    const app = dialog.getByRole("link", { name: "Open the authenticator app of this device", includeHidden: true });
    assert.ok(
      (await app.getAttribute("href"))?.startsWith("otpauth://totp/"),
      "for a telephone, which can't scan itself",
    );
    await untilFocused(dialog.getByLabel("Code of the app"));
    await page.keyboard.type(showWrongCode(uri));
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").filter({ hasText: "The code is wrong or too old" }).waitFor();
    await dialog.getByLabel("Code of the app").fill(showCode(uri));
    await page.keyboard.press("Enter");
    await page.getByText("Signing in needs a code.").waitFor();
    assert.equal(await page.getByText(backupCodes[0] ?? "").count(), 0);
    await assertAccessible(page, "account with a second factor");
    // This browser got another session and is still signed in.
    await page.reload();
    await page.getByText("Signing in needs a code.").waitFor();
    await requireOfAll(page);
    await page.context().close();
  });

  /** An owner with a second factor requires one of everybody; who has none is reminded, and then led to set one up. */
  async function requireOfAll(page: Page): Promise<void> {
    await page.goto("/members");
    await page.getByText("Not required: each member decides.").waitFor();
    await page.getByRole("button", { name: "Require", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await untilFocused(dialog.getByLabel("From"));
    await assertAccessible(page, "the rule about the second factor");
    await dialog.getByRole("button", { name: "Require it" }).click();
    await page.getByText("Until then members are reminded.").waitFor();

    const { database } = dashboard.service;
    await sql`update person set second_factor_enabled = (1 = 0)`.execute(database);
    await page.goto("/");
    await page.getByText("Turn yours on in time").waitFor();
    await assertAccessible(page, "reminder of the second factor");
    await sql`update organization set second_factor_from = 1`.execute(database);
    await page.reload();
    await page.getByRole("heading", { name: "Set up a second factor to continue" }).waitFor();
    await page.getByRole("button", { name: "Leave", exact: true }).waitFor();
    await assertAccessible(page, "second factor needed");
    await page.getByRole("link", { name: "Set up a second factor" }).click();
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await sql`update person set second_factor_enabled = (1 = 1)`.execute(database);
    await sql`update organization set second_factor_from = null`.execute(database);
  }

  test("signing in asks for the code and leads on to where one wanted to go; a wrong one says so", async () => {
    const page = await begin("/account");
    await untilFocused(page.getByLabel("Code", { exact: true }));
    await assertAccessible(page, "sign-in, code");
    // As a phone does on the way back from the app.
    await page.reload();
    await untilFocused(page.getByLabel("Code", { exact: true }));
    await page.keyboard.type(showWrongCode(uri));
    await page.keyboard.press("Enter");
    await assertErrorAt(page.getByLabel("Code", { exact: true }), "The code is wrong or too old");
    // The next one: a code is good for one thing, and the last one has turned the second factor on.
    await page.getByLabel("Code", { exact: true }).fill(showCode(uri, Date.now() + 30_000));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await page.context().close();
  });

  test("a backup code signs in once", async () => {
    for (const isFirst of [true, false]) {
      const page = await begin();
      await page.getByRole("button", { name: "Use a backup code instead" }).click();
      await page.getByLabel("Backup code").fill(backupCodes[0]?.toUpperCase().replace("-", " ") ?? "");
      await page.keyboard.press("Enter");
      if (isFirst) await page.getByRole("heading", { name: "Forms" }).waitFor();
      else await page.getByRole("alert").filter({ hasText: "wrong or was used before" }).waitFor();
      await page.context().close();
    }
  });

  test("after too many wrong codes the page leads back to the password", async () => {
    const page = await begin();
    const wrong = showWrongCode(uri);
    for (let round = 1; round <= 6; round++) {
      const answered = page.waitForResponse("**/two-factor/verify-totp");
      await page.getByLabel("Code", { exact: true }).fill(wrong);
      await page.keyboard.press("Enter");
      assert.equal((await answered).status(), round <= 5 ? 401 : 403);
      // Until it is said, the page takes no other code.
      await page.getByRole("alert").waitFor();
    }
    await page.getByRole("alert").filter({ hasText: "Too many wrong codes: sign in again" }).waitFor();
    await page.getByRole("button", { name: "Start again" }).click();
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    await page.context().close();
  });

  test("the audit log tells what was done, by whom, page by page; and turning off needs the password and a code", async () => {
    const page = await begin();
    await page.getByRole("button", { name: "Use a backup code instead" }).click();
    await page.getByLabel("Backup code").fill(backupCodes[1]?.replace("-", "") ?? "");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    await page.goto("/account");
    await page.getByRole("link", { name: "Open the audit log" }).click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    const entries = page.getByRole("list", { name: "What was done, newest first" }).getByRole("listitem");
    await entries
      .filter({ hasText: "Second factor turned on" })
      .getByText("in another browser, or here earlier")
      .waitFor();
    await entries.filter({ hasText: "Signed in" }).filter({ hasText: "in this browser" }).first().waitFor();
    assert.equal(await entries.filter({ hasText: "Backup code used" }).count(), 2);
    await assertAccessible(page, "audit log");

    await page.goto("/account");
    const current = page.getByLabel("Current password", { exact: true });
    await current.fill("not the password");
    await page.getByLabel("New password").fill("another horse battery");
    await page.getByRole("button", { name: "Change password" }).click();
    await assertErrorAt(current, "The password is wrong");
    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password", { exact: true }).fill(person.password);
    const code = dialog.getByLabel("Code of the app, or a backup code");
    await code.fill(showWrongCode(uri));
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await assertErrorAt(code, "The code is wrong or too old, or was used before");
    await assertAccessible(page, "turning the second factor off");
    await code.fill(` ${backupCodes[2]?.toUpperCase().replace("-", " ")} `);
    // It is off, and the page says so before it has asked for anything again.
    const letThrough = await holdReads(page, "**/api/**");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("The password alone signs in.").waitFor();
    assert.equal(await dialog.count(), 0);
    await letThrough();
    const plain = await dashboard.signInByPage();
    await plain.context().close();
    await page.context().close();
  });

  test("the audit log tells on a phone what was changed from what to what, what was counted, and what a restore brought back", async () => {
    const { service } = dashboard;
    const { database } = service;
    const page = await dashboard.signInByPage();
    await page.setViewportSize({ width: 390, height: 844 });
    const webhookUrl = `https://hooks.example.com/${"long".repeat(400)}`;
    const statuses = await page.evaluate(
      async ([createBody, changeBody]) => {
        const send = (method: string, path: string, body: string | undefined) =>
          fetch(path, { method, headers: { "content-type": "application/json" }, body: body ?? "" });
        const created = await send("POST", "/api/forms", createBody);
        const { form } = await created.json();
        return [created.status, (await send("PATCH", `/api/forms/${form.id}`, changeBody)).status];
      },
      [
        JSON.stringify({ name: "Before", settings: { encryption: false } }),
        JSON.stringify({ name: "After", settings: { encryption: true, webhookUrl } }),
      ],
    );
    assert.deepEqual(statuses, [200, 200]);
    const { id } = await service.database
      .selectFrom("person")
      .select("id")
      .where("email", "=", person.email)
      .executeTakeFirstOrThrow();
    const counts = Object.fromEntries(auditCounts.map((name, index) => [name, 1234 + index]));
    await recordAction(service.database, {
      accountId: id as AccountId, // there are no other ids in this column
      actor: { type: "operator" },
      action: "account.restored",
      occurredAt: Date.now(),
      details: { backupAt: Date.UTC(2026, 0, 2, 3, 4), counts },
    });
    await page.goto("/audit-log");
    const entries = page.getByRole("list", { name: "What was done, newest first" }).getByRole("listitem");
    const changed = await entries.filter({ hasText: "Form changed" }).first().innerText();
    for (const line of [
      "Name: Before to After",
      "Encryption: off to on",
      `Webhook address: none to ${webhookUrl.slice(0, 300)}`,
    ])
      assert.ok(changed.includes(line), `${line} in ${changed}`);
    const restored = await entries.filter({ hasText: "All is as it was on" }).innerText();
    assert.match(restored, /January 2, 2026|Jan 2, 2026/);
    // Each count has words: none is left out, and none is shown by its name in the API.
    for (const count of Object.values(counts)) assert.ok(restored.includes(count.toLocaleString("en")), restored);
    assert.doesNotMatch(restored, /keysRe/);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await assertAccessible(page, "details in the audit log");

    // Narrowed down by keyboard, and kept in the address.
    await page.getByLabel("About").focus();
    await page.keyboard.type("Forms");
    await page.waitForURL("**/audit-log?kind=form");
    await page.getByText("All is as it was on").waitFor({ state: "detached" });
    await page.getByLabel("Form", { exact: true }).selectOption("After");
    await page.waitForURL("**/audit-log?kind=form&form=form_*");
    await page.reload();
    await entries.filter({ hasText: "Form changed" }).waitFor();
    assert.equal(await page.locator("ol > li").count(), 2, "made and changed");
    await page.getByLabel("Until").fill("2020-02-01");
    await page.getByText("Nothing of the log is like this").waitFor();
    await assertAccessible(page, "an audit log narrowed down to nothing");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole("button", { name: "Clear the filters" }).first().click();
    await page.getByText("All is as it was on").waitFor();
    assert.equal(new URL(page.url()).search, "");
    await page.getByLabel("Person").selectOption(person.name);
    await page.waitForURL(`**/audit-log?person=${id}`);
    await entries.filter({ hasText: "Signed in" }).first().waitFor();
    await page.getByText("All is as it was on").waitFor({ state: "detached" });

    // The head that is shown is in the export, in which every entry stands.
    const shownHead = (
      await page.getByRole("region", { name: "Number and hash of the last entry" }).innerText()
    ).trim();
    const [, number = "", hash = ""] = /^([0-9]+):([0-9a-f]{64})$/.exec(shownHead) ?? [];
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export the log" }).click();
    const file = await downloading;
    assert.match(file.suggestedFilename(), /^audit-log-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\n");
    assert.equal(JSON.parse(lines[Number(number)] ?? "{}").hash, hash);
    await database
      .updateTable("audit_head")
      .set({ removed_sequence: 1234, removed_hash: hash, removed_occurred_at: Date.UTC(2026, 0, 2, 12) })
      .where("account_id", "=", id)
      .execute();
    await page.reload();
    await page
      .getByText("1,234 older entries were removed for their age, or by an owner, the last of them from Jan 2, 2026")
      .waitFor();
    await assertAccessible(page, "the checkpoint of an audit log");
    await page.context().close();
  });

  test("names of forms and keys are shown as text, whatever is in them", async () => {
    const page = await dashboard.signInByPage();
    const name = "<img src=x onerror=alert(1)>";
    const created = await page.evaluate(
      async (body) =>
        (
          await fetch("/api/forms", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          })
        ).status,
      { name, settings: { encryption: false } },
    );
    assert.equal(created, 200);
    await page.goto("/audit-log");
    await page.getByRole("list", { name: "What was done, newest first" }).getByText(name).waitFor();
    await page.context().close();
  });
});
