import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client, Form } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { startSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { assertAccessible, createAccount, type Dashboard, person, startDashboard, untilFocused } from "./dashboard.ts";

const clock = createFakeClock(Date.now());

describe("an account that somebody else may have had", () => {
  let dashboard: Dashboard;
  let client: Client;
  /** Made while the session is fresh. */
  let form: Pick<Form, "id">;
  before(async () => {
    dashboard = await startDashboard({ clock });
    client = await createAccount(dashboard.service);
    form = await client.forms.create({ name: "Contact", settings: { encryption: true } });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function nameKey(page: Page, name: string): Promise<void> {
    await page.getByRole("button", { name: "New API key" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create key" }).click();
  }

  test("a session that is older than an hour is asked for the password: if cancelled the form is unchanged, if entered the API key is created", async () => {
    const page = await dashboard.signInByPage();
    clock.advance(3_600_001);
    await page.goto("/api-keys");
    await nameKey(page, "Backup");
    const asking = page.getByRole("dialog", { name: "Enter your password again" });
    await asking.waitFor();
    const field = asking.getByLabel("Current password", { exact: true });
    await untilFocused(field);
    await assertAccessible(page, "the question for the password");
    await page.keyboard.press("Escape");
    await asking.waitFor({ state: "detached" });
    const create = page.getByRole("button", { name: "Create key" });
    await create.and(page.locator(":not([aria-disabled=true])")).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, "who cancels is back where they were");
    assert.equal(await page.getByRole("dialog").getByLabel("Name").inputValue(), "Backup");
    await create.click();
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

  test("a session that is older than an hour is asked for the password before a webhook, its secret, an end of encryption or new keys", async () => {
    const page = await dashboard.signInByPage();
    const asking = page.getByRole("dialog", { name: "Enter your password again" });
    async function enter(): Promise<void> {
      await asking.getByLabel("Current password", { exact: true }).fill(person.password);
      await page.keyboard.press("Enter");
    }
    clock.advance(3_600_001);
    await page.goto(`/forms/${form.id}/webhook`);
    await page.getByLabel("Webhook address").fill("https://example.com/hook");
    await page.getByRole("button", { name: "Save address" }).click();
    await enter();
    await page.getByText("The address is saved.").waitFor();
    assert.equal((await client.forms.get(form.id)).settings.webhookUrl, "https://example.com/hook");

    clock.advance(3_600_001);
    await page.getByRole("button", { name: "Show secret" }).click();
    await enter();
    await page.getByText(/^whsec_/).waitFor();

    clock.advance(3_600_001);
    await page.goto(`/forms/${form.id}/settings`);
    await page.getByRole("switch", { name: "Seal submissions" }).click();
    await page.getByText("They will also be sent, unsealed, to https://example.com/hook.").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await asking.waitFor();
    assert.equal((await client.forms.get(form.id)).settings.encryption, true);
    await enter();
    await page.getByText("The settings are saved.").waitFor();
    assert.equal((await client.forms.get(form.id)).settings.encryption, false);

    clock.advance(3_600_001);
    await page.goto(`/forms/${form.id}/keys`);
    await page.getByRole("button", { name: "Make the new key" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download key file" }).click();
    await page.setInputFiles("input[type=file]", await (await download).path());
    await page.getByText("The test value was opened").waitFor();
    await page.getByRole("button", { name: "Rotate to version 2" }).click();
    await enter();
    await page.getByText("Version 2 is now current").waitFor();
    assert.equal((await client.forms.keys(form.id)).length, 2);
    await page.context().close();
  });

  test("a changed password offers to revoke the API keys, and says how many are", async () => {
    const page = await dashboard.signInByPage();
    await page.goto("/account");
    assert.ok(await page.getByLabel("Revoke all API keys").isChecked());
    await page.getByLabel("Current password", { exact: true }).first().fill(person.password);
    await page.getByLabel("New password", { exact: true }).fill("another horse battery");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("and one API key is revoked.").waitFor();
    await page.goto("/api-keys");
    await page.getByText("No API keys yet").waitFor();
    await page.context().close();
  });
});

test("a person who signs up is asked to verify the address before anything that needs it, signs in with the emailed link if need be, and then creates a form", async (t) => {
  const smtp = await startSmtpServer(t);
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  };
  const dashboard = await startDashboard({ environment });
  t.after(() => dashboard.close());
  await dashboard.service.signUp("operator@example.com");
  const page = await dashboard.open("/sign-up", { viewport: { width: 390, height: 844 } });
  await page.getByLabel("Your name").fill(person.name);
  await page.getByLabel("Email address").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText(`Open the link in the mail to ${person.email}`).waitFor();
  await assertAccessible(page, "the banner for the address");
  const asking = page.getByRole("region", { name: "Verify your email address" });
  const words = await asking.getByText("Open the link in the mail").boundingBox();
  const button = await asking.getByRole("button", { name: "Mail me a link" }).boundingBox();
  assert.ok(
    words && button && button.y >= words.y + words.height,
    "on a phone the button is below the words, no column",
  );
  // Steps that the server would refuse in the end are not begun.
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("button", { name: "New API key" }).click();
  await page.getByRole("dialog").getByText("Open the link in the mail").waitFor();
  await page.keyboard.press("Escape");
  await page.goto("/account");
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("dialog").getByText("Open the link in the mail").waitFor();
  await page.goto("/forms/new");
  await page.getByText("Open the link in the mail").waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
  await assertAccessible(page, "a new form before the address is verified");
  await page.getByRole("button", { name: "Mail me a link" }).click();
  await page.getByText("A mail is on its way.").waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("A mail is on its way."));
  await smtp.next();
  const link = /\S+\/verify-email#\S+/.exec((await smtp.next()).text)?.[0] ?? "";
  // Another browser, where nobody is signed in.
  const other = await dashboard.open(link);
  await other.getByLabel("Email address").fill(person.email);
  await other.getByLabel("Password", { exact: true }).fill(person.password);
  await other.getByRole("button", { name: "Sign in", exact: true }).click();
  await other.getByText("Your email address is verified.").waitFor();
  assert.ok(!other.url().includes("#"));
  await assertAccessible(other, "the verified address");
  // A person who comes back to the page, or opens the link again, sees the same message.
  for (const again of ["/verify-email", link]) {
    await other.goto("/");
    await other.goto(again);
    await other.getByText("Your email address is verified.").waitFor();
  }
  // Back in the first tab, the form can be made at once.
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  assert.equal(await page.getByText("Open the link in the mail").count(), 0);
  assert.deepEqual(dashboard.complaints, []);
});
