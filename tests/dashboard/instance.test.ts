import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { createIdentityStore } from "../../packages/server/src/accounts/identity-store.ts";
import { assertAccessible, createAccount, type Dashboard, person, startDashboard } from "./dashboard.ts";

const phone = { viewport: { width: 390, height: 844 } };

describe("the instance page", () => {
  let dashboard: Dashboard;
  let client: Client;
  /** Every answer of the instance's API that a page got. */
  const answers: { readonly path: string; readonly status: number; readonly body: string }[] = [];

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
    const form = await client.forms.create({ name: "Canaryform", settings: { encryption: false } });
    const payload = { encrypted: false, version: "plain1", fields: { canaryfield: "canaryvalue" } };
    const path = `/api/forms/${form.id}/submissions`;
    const body = { id: createId("submission"), payload };
    assert.equal((await dashboard.service.request("POST", path, { body })).status, 201);
    const identities = createIdentityStore(dashboard.service.database);
    for (let index = 0; index < 25; index++)
      await dashboard.service.database.transaction().execute((transaction) =>
        identities.createPerson(transaction, {
          ...{ id: createId("account"), email: `person-${index}@example.com`, name: `Person ${index}`, plan: "free" },
          ...{ isVerified: true, isInvited: false, createdAt: Date.UTC(2026, 0, 1) },
        }),
      );
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const change = (values: { readonly operator_since?: number; readonly second_factor_enabled?: true }) =>
    dashboard.service.database
      .updateTable("person")
      .set({
        ...(values.operator_since !== undefined && { operator_since: values.operator_since }),
        // The two databases have no word for true in common.
        ...(values.second_factor_enabled && { second_factor_enabled: sql<boolean>`(1 = 1)` }),
      })
      .where("email", "=", person.email)
      .execute();

  async function assertNoOverflow(page: Page, what: string): Promise<void> {
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scrollWidth, clientWidth };
    });
    assert.ok(scrollWidth <= clientWidth, `${what} is ${scrollWidth} wide`);
  }

  test("an operator on a phone sees health, finds and disables an account, changes a plan, invites; nobody else sees anything, and nothing shows a form", async () => {
    const page = await dashboard.signIn("/instance", phone);
    page.on("response", async (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith("/api/instance")) return;
      const body = await response.text().catch(() => "");
      answers.push({ path: pathname, status: response.status(), body });
    });
    await page.getByRole("heading", { name: "This page is for the instance's operators" }).waitFor();
    assert.equal(await page.getByRole("navigation", { name: "Parts of this page" }).count(), 0);
    await assertAccessible(page, "nobody's instance page");
    await change({ operator_since: 1 });
    await page.reload();
    await page.getByRole("heading", { name: "Operators need a second factor" }).waitFor();
    assert.ok(answers.every(({ status }) => status === 403));
    await change({ second_factor_enabled: true });
    await page.reload();
    const parts = page.getByRole("navigation", { name: "Parts of this page" });
    await page.getByText("26 organizations, 26 accounts, 1 operator").waitFor();
    await assertNoOverflow(page, "health");
    await assertAccessible(page, "health");

    await parts.getByRole("link", { name: "Organizations" }).click();
    const organizations = page.getByRole("list", { name: "Organizations" });
    await organizations.getByRole("listitem").nth(19).waitFor();
    assert.equal(await organizations.getByRole("listitem").count(), 20);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.waitForURL(/after=/);
    await page.reload();
    await organizations.getByText("Ada Example").waitFor();
    assert.equal(await organizations.getByRole("listitem").count(), 6);
    await page.getByRole("button", { name: "Change plan: Ada Example" }).click();
    const plan = page.getByRole("dialog", { name: "Change plan: Ada Example" });
    await plan.waitFor();
    await page.goBack();
    await plan.waitFor({ state: "detached" });
    await organizations.getByText("Ada Example").waitFor();
    await page.getByRole("button", { name: "Change plan: Ada Example" }).click();
    await plan.getByLabel("Plan").selectOption("pro");
    await assertAccessible(page, "changing a plan");
    await plan.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("The plan is changed.").waitFor();
    await organizations.getByText("pro", { exact: true }).waitFor();
    await assertNoOverflow(page, "organizations");
    await assertAccessible(page, "organizations");

    await parts.getByRole("link", { name: "Accounts" }).click();
    const accounts = page.getByRole("list", { name: "Accounts" });
    await page.getByRole("searchbox", { name: "Search" }).fill("person-7");
    await page.keyboard.press("Enter");
    await page.getByText("1 entry").waitFor();
    await page.reload();
    await page.getByText("1 entry").waitFor();
    assert.equal(await page.getByRole("searchbox", { name: "Search" }).inputValue(), "person-7");
    const manage = page.getByRole("button", { name: "Manage: person-7@example.com" });
    await manage.focus();
    await page.keyboard.press("Enter");
    const managing = page.getByRole("dialog", { name: "Manage: person-7@example.com" });
    await managing.getByRole("radio", { name: /^Disable the account/ }).check();
    await assertAccessible(page, "managing an account");
    await managing.getByRole("button", { name: "Disable the account" }).click();
    await page.getByRole("status").getByText("The account is disabled.").waitFor();
    await accounts.getByText("disabled", { exact: true }).waitFor();
    await manage.click();
    await managing.getByRole("button", { name: "Enable the account again" }).click();
    await page.getByRole("status").getByText("The account is enabled again.").waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill(person.email);
    await page.keyboard.press("Enter");
    await accounts.getByRole("link", { name: "Your account" }).waitFor();
    assert.equal(await accounts.getByRole("button").count(), 0, "nothing that does nothing");
    await page.goBack();
    await manage.waitFor();

    // By keyboard.
    await page.getByRole("button", { name: "Invite somebody" }).focus();
    await page.keyboard.press("Enter");
    const inviting = page.getByRole("dialog", { name: "Invite somebody" });
    await inviting.getByLabel("Email address").waitFor();
    await page.keyboard.type(person.email);
    await page.keyboard.press("Enter");
    await inviting.getByRole("alert").getByText("There is an account with this email address already").waitFor();
    await assertAccessible(page, "an invitation that is refused");
    await inviting.getByLabel("Email address").fill("guest@example.com");
    await page.keyboard.press("Enter");
    const made = page.getByRole("dialog", { name: "The invitation is ready" });
    const url = await made.getByText(`${dashboard.service.url}/invitation#`).innerText();
    await assertAccessible(page, "the link of an invitation");
    await made.getByRole("button", { name: "I have copied it" }).click();
    await made.waitFor({ state: "detached" });
    const open = page.getByRole("list", { name: "Open invitations" });
    await open.getByText("guest@example.com").waitFor();
    await assertNoOverflow(page, "accounts");
    await assertAccessible(page, "accounts");
    await dashboard.service.database
      .insertInto("mail")
      .values({
        ...{ id: "failed", kind: "submissions", account_id: "instance", form_id: null, details: "{}", created_at: 0 },
        ...{ expires_at: 0, due_at: 0, attempts: 1, finished_at: Date.now(), failed_at: Date.now() },
        ...{ failed_to: '["guest@example.com"]', failure: "550 5.1.1 No such user" },
      })
      .execute();
    await parts.getByRole("link", { name: "Failed emails" }).click();
    await page.getByText("550 5.1.1 No such user").waitFor();
    await assertAccessible(page, "failed emails");
    await page.getByRole("button", { name: "Try again: guest@example.com" }).click();
    await page.getByRole("status").getByText("The email is on its way again").waitFor();

    // The guest, in another browser.
    const { pathname, hash } = new URL(url);
    const guest = await dashboard.open(pathname + hash, phone);
    await guest.getByRole("heading", { name: "Create your account" }).waitFor();
    await guest.reload();
    assert.equal(await guest.getByLabel("Email address").inputValue(), "guest@example.com");
    await assertAccessible(guest, "making the account");
    await guest.getByLabel("Your name").fill("Grace Guest");
    await guest.getByLabel("Password", { exact: true }).fill(person.password);
    await guest.getByRole("button", { name: "Create account" }).click();
    await guest.getByText("Give it a name, save its key").waitFor();
    await guest.context().close();

    await parts.getByRole("link", { name: "Log" }).click();
    const log = page.getByRole("list", { name: "Log" });
    await log.getByText("Account made by an invitation").waitFor();
    await log.getByText("by the invited person").waitFor();
    await log.getByText("Invited to the instance").waitFor();
    await assertNoOverflow(page, "the log");
    await assertAccessible(page, "the log");

    assert.ok(answers.some(({ status }) => status === 200));
    for (const { path, body } of answers) assert.doesNotMatch(body, /canary/i, path);
    await page.context().close();
  });

  test("the page of a link in an email, and each page of the app, is there after a reload", async () => {
    const headers = { accept: "text/html" };
    for (const path of ["/instance", "/members", "/invitation", "/address"])
      assert.equal((await fetch(`${dashboard.service.url}${path}`, { headers })).status, 200, path);
  });
});
