import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import { startSmtpServer, type TestSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  assertAccessible,
  assertWordsRefused,
  createAccount,
  type Dashboard,
  person,
  startDashboard,
} from "./dashboard.ts";

const newPassword = "another horse battery";

describe("emails and lost passwords", () => {
  const closers: (() => unknown)[] = [];
  let smtp: TestSmtpServer;
  let dashboard: Dashboard;
  let client: Client;

  before(async () => {
    smtp = await startSmtpServer({ after: (close) => void closers.push(close) });
    dashboard = await startDashboard({
      environment: {
        SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
      },
    });
    client = await createAccount(dashboard.service);
  });
  after(async () => {
    await dashboard.close();
    for (const close of closers) await close();
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("emails are switched off and on for a form in its settings, for all of them in the account's", async () => {
    const { publicKey } = takeKeyPair();
    const { id } = await client.forms.create({ name: "Contact", publicKey });
    const page = await dashboard.signIn(`/forms/${id}/settings`);
    const emails = page.getByRole("switch", { name: "Mail me about this form" });
    await emails.and(page.locator("[aria-checked=true]")).waitFor();
    await assertAccessible(page, "settings with emails");
    await emails.click();
    await emails.and(page.locator("[aria-checked=false]:enabled")).waitFor();
    assert.deepEqual(await client.forms.notifications(id), { mail: false, available: true });
    await emails.click();
    await emails.and(page.locator("[aria-checked=true]:enabled")).waitFor();
    assert.deepEqual(await client.forms.notifications(id), { mail: true, available: true });
    await page.goto("/account");
    const all = page.getByRole("switch", { name: "Mail me about my forms" });
    await all.and(page.locator("[aria-checked=true]")).waitFor();
    await assertAccessible(page, "account with emails");
    await all.click();
    await all.and(page.locator("[aria-checked=false]:enabled")).waitFor();
    assert.deepEqual(await client.notifications.get(), { mail: false, available: true, storage: true });
    await page.context().close();
  });

  test("who lost the password sets a new one by a mailed link, which works once and leaves the address at once", async () => {
    const page = await dashboard.open("/sign-in");
    await page.getByLabel("Email address").fill("typed@example.com");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    assert.equal(await page.getByLabel("Email address").inputValue(), "typed@example.com");
    await assertAccessible(page, "forgotten password");
    await page.getByLabel("Email address").fill("nobody@example.com");
    await page.getByRole("button", { name: "Mail me a link" }).click();
    await page.getByText("If there is an account with this address, a mail is on its way.").waitFor();
    await page.getByLabel("Email address").fill(person.email);
    await page.getByRole("button", { name: "Mail me a link" }).click();
    const { to, text } = await smtp.next();
    assert.deepEqual(to, [person.email]);
    const link = /^http\S+#\w+$/m.exec(text)?.[0] ?? assert.fail(text);
    const other = await dashboard.open(link.slice(dashboard.service.url.length));
    await other.getByRole("heading", { name: "Set a new password" }).waitFor();
    assert.equal(other.url(), `${dashboard.service.url}/reset-password`);
    await assertAccessible(other, "new password");
    await assertWordsRefused(other, other.getByLabel("New password", { exact: true }), "Set password");
    await other.getByLabel("New password", { exact: true }).fill(newPassword);
    await other.getByRole("button", { name: "Set password" }).click();
    await other.getByText("Your password is set.").waitFor();
    await other.getByRole("link", { name: "Sign in" }).click();
    await other.getByLabel("Email address").fill(person.email);
    await other.getByLabel("Password", { exact: true }).fill(newPassword);
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Forms" }).waitFor();
    await page.goto(link.slice(dashboard.service.url.length));
    await page.getByLabel("New password", { exact: true }).fill(newPassword);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("alert").filter({ hasText: "This link was used before" }).waitFor();
    await page.getByRole("button", { name: "Ask for a new link" }).click();
    await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    await page.context().close();
    await other.context().close();
  });
});
