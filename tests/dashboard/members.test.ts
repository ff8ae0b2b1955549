import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { type Client, createKeyFile } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { offers } from "../../packages/dashboard/src/organization/offers.ts";
import { operationRoles } from "../../packages/server/src/access/roles.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  person,
  startDashboard,
  submit,
  untilFocusIsKept,
} from "./dashboard.ts";

const password = "correct horse battery";
const guest = { name: "Grace Guest", email: "grace@example.com" };

test("the dashboard offers each operation to the roles that the service's table names, and to no others", () => {
  const expected = Object.fromEntries(
    Object.keys(offers).map((name) => [name, operationRoles[name as keyof typeof operationRoles].join(" ")]),
  );
  assert.deepEqual(offers, expected);
});

describe("members", () => {
  let dashboard: Dashboard;
  let client: Client;
  let keyFile: Buffer;
  let form: Awaited<ReturnType<Client["forms"]["create"]>>;
  let other: Awaited<ReturnType<Client["forms"]["create"]>>;

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
    const { publicKey, privateKey } = takeKeyPair();
    form = await client.forms.create({ name: "Contact", publicKey });
    const label = { formId: form.id, formName: "Contact", keyVersion: 1, createdAt: 1 };
    keyFile = Buffer.from(JSON.stringify(await createKeyFile({ ...label, privateKey })));
    other = await client.forms.create({ name: "Hidden", settings: { encryption: false } });
    await submit(dashboard.service, form, { name: "Somebody" });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("an owner invites a reader on a phone, who signs up with the link, reads the named form alone, is demoted and removed while the page is open", async () => {
    const owner = await dashboard.signIn("/members", {
      viewport: { width: 390, height: 844 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await owner.getByRole("heading", { name: "You are the only member" }).waitFor();
    await assertAccessible(owner, "the only member");
    assert.equal(await owner.getByRole("button", { name: "Leave" }).count(), 0);

    // By keyboard.
    await owner.getByRole("button", { name: "Invite somebody" }).focus();
    await owner.keyboard.press("Enter");
    const dialog = owner.getByRole("dialog", { name: "Invite somebody" });
    await owner.keyboard.type(guest.email);
    await owner.keyboard.press("Enter");
    await dialog.getByText("Choose at least one form").waitFor();
    await assertAccessible(owner, "inviting");
    await dialog.getByRole("checkbox", { name: "Contact" }).focus();
    await owner.keyboard.press("Space");
    await owner.keyboard.press("Enter");
    const made = owner.getByRole("dialog", { name: "The invitation is ready" });
    await made.getByText(`No email was sent: pass this link on to ${guest.email} yourself.`).waitFor();
    await made.getByText("Who accepts it becomes Reader.").waitFor();
    await made.getByRole("button", { name: "Copy", exact: true }).click();
    const link = await owner.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.startsWith(`${dashboard.service.url}/invitation#`));
    await assertAccessible(owner, "the link");
    await made.getByRole("button", { name: "I have copied it" }).click();
    const pending = owner.getByRole("list", { name: "Open invitations" });
    await pending.getByText(guest.email).waitFor();
    await untilFocusIsKept(owner);

    const page = await dashboard.open(new URL(link).pathname + new URL(link).hash, {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole("heading", { name: "Join “Ada Example”" }).waitFor();
    assert.equal(new URL(page.url()).hash, "", "the token stays in no history");
    await page.reload();
    const address = page.getByLabel("Email address");
    assert.equal(await address.inputValue(), guest.email);
    assert.equal(await address.getAttribute("readonly"), "");
    await assertAccessible(page, "accepting by signing up");
    await page.getByLabel("Your name").fill(guest.name);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Create account and join" }).click();
    await page.getByRole("link", { name: "Contact" }).waitFor();
    assert.equal(await page.getByText("Hidden", { exact: true }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "New form" }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "API keys" }).count(), 0);
    await page.getByRole("link", { name: "Contact" }).click();
    await page.getByText("These submissions are sealed").waitFor();
    const tabs = page.getByRole("navigation", { name: "Parts of this form" });
    assert.deepEqual(await tabs.getByRole("link").allInnerTexts(), ["Submissions", "Statistics"]);
    await assertAccessible(page, "a reader's form");
    await page.goto(`/forms/${form.id}/settings`);
    await page.getByRole("heading", { name: "Your role does not allow this" }).waitFor();
    await page.goto(`/forms/${other.id}`);
    await page.getByRole("heading", { name: "There is no such form" }).waitFor();

    await page.goto(`/forms/${form.id}`);
    await unlock(page);
    await page.getByText("Opening").waitFor({ state: "detached" });
    await page.getByText("Somebody").first().click();
    const detail = page.getByRole("dialog", { name: "Submission" });
    await detail.getByRole("button", { name: "Print" }).waitFor();
    assert.equal(await detail.getByRole("button", { name: "Delete" }).count(), 0);
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });

    // The link is used up.
    const again = await dashboard.open(new URL(link).pathname + new URL(link).hash);
    await again.getByRole("heading", { name: "This invitation can't be used" }).waitFor();
    await assertAccessible(again, "an invitation that was used");
    await again.context().close();

    // As if they had been a manager before.
    const { database } = dashboard.service;
    const url = "https://127.0.0.1:9/theirs";
    const [setBy, destination] = [await findId(), "hook"];
    const hooks = database.updateTable("webhook").where("form_id", "=", form.id);
    await hooks.set({ url, destination, set_by: setBy }).execute();
    await owner.reload();
    await owner.getByRole("button", { name: "Change role: Grace Guest" }).click();
    const change = owner.getByRole("dialog", { name: "The role of Grace Guest" });
    await change.getByRole("radio", { name: "Auditor" }).check();
    const size = owner.viewportSize();
    await owner.setViewportSize({ width: 390, height: 400 });
    await change.getByRole("button", { name: "Save changes" }).click();
    const changed = owner.getByRole("status").filter({ hasText: "The role is changed." });
    await changed.waitFor();
    await owner.waitForFunction(() => {
      const message = [...document.querySelectorAll("[role=status]")].find((one) => /is changed/.test(one.textContent));
      const { top = -1, bottom = 0 } = message?.getBoundingClientRect() ?? {};
      return top >= 0 && bottom <= innerHeight;
    });
    if (size) await owner.setViewportSize(size);
    await owner.getByText("These forms still send to a webhook address that they chose").waitFor();
    const left = owner.locator("main").getByRole("listitem").getByRole("link", { name: "Contact" });
    assert.match((await left.getAttribute("href")) ?? "", new RegExp(`/forms/${form.id}/webhook$`));
    await assertAccessible(owner, "webhooks that a lowered member left");
    await hooks.set({ url: null, destination: null, set_by: null }).execute();
    await page.getByRole("button", { name: "Look for new submissions" }).click();
    await page.getByRole("heading", { name: "Your role does not allow this" }).waitFor();
    await assertAccessible(page, "demoted");
    await client.members.change(await findId(), { role: "reader", forms: [form.id] });
    await page.reload();
    await page.getByText("These submissions are sealed").waitFor();
    // Who may not see the members finds the way out in the account.
    await page.goto("/account");
    await page.getByRole("button", { name: "Leave", exact: true }).waitFor();
    await client.members.change(await findId(), { role: "auditor" });
    await page.goto(`/forms/${form.id}`);
    await tabs.getByRole("link", { name: "Settings" }).waitFor();
    assert.deepEqual(await tabs.getByRole("link").allInnerTexts(), ["Statistics", "Settings"]);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("Your role sees these settings.").waitFor();
    assert.ok(await page.getByLabel("Name", { exact: true }).isDisabled());
    await assertAccessible(page, "an auditor's settings");

    await owner.getByRole("button", { name: "Remove: Grace Guest" }).click();
    const question = owner.getByRole("dialog", { name: "Remove Grace Guest?" });
    await question.getByText("The API keys that they made here are revoked").waitFor();
    await assertAccessible(owner, "removing");
    await question.getByRole("button", { name: "Remove", exact: true }).click();
    await owner.getByRole("status").filter({ hasText: "Grace Guest is removed." }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "You no longer belong to this organization" }).waitFor();
    await assertAccessible(page, "removed");
    await page.context().close();
    await owner.context().close();
  });

  test("a page for another address says what to do; who leaves has no key in the browser; who owns two organizations switches in every tab", async () => {
    const { url } = await client.invitations.create({ email: guest.email, role: "manager" });
    const path = new URL(url).pathname + new URL(url).hash;
    const guestPage = await dashboard.signInByPage();
    await guestPage.goto(path);
    await guestPage
      .getByText(`This invitation is for ${guest.email}, but you are signed in as ${person.email}.`)
      .waitFor();
    await assertAccessible(guestPage, "an invitation for another address");
    await guestPage.getByRole("button", { name: "Sign out and continue" }).click();
    await guestPage.getByRole("button", { name: "I have an account already" }).click();
    assert.equal(await guestPage.getByLabel("Email address").inputValue(), guest.email);
    await assertAccessible(guestPage, "accepting by signing in");
    await guestPage.getByLabel("Password", { exact: true }).fill(password);
    await guestPage.keyboard.press("Enter");
    await guestPage.getByRole("button", { name: "Accept" }).click();
    await guestPage.getByRole("link", { name: "Contact" }).waitFor();
    await guestPage.getByRole("link", { name: "API keys" }).waitFor();
    await guestPage.goto(`/forms/${form.id}`);
    await unlock(guestPage);
    await guestPage.goto("/members");
    await guestPage.getByRole("button", { name: "Invite somebody" }).click();
    assert.equal(await guestPage.getByRole("radio").count(), 2, "a manager invites readers and developers");
    await guestPage.getByRole("button", { name: "Cancel" }).click();
    await guestPage.getByRole("button", { name: "Leave" }).waitFor();
    assert.equal(await guestPage.getByRole("button", { name: /^(Change role|Remove):/ }).count(), 0);
    await guestPage.getByRole("button", { name: "Leave" }).click();
    await guestPage.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await guestPage.getByText("You belong to no other organization.").waitFor();
    await guestPage.goto("/account");
    await guestPage.getByText("This browser remembers no keys.").waitFor();
    await guestPage.context().close();

    const page = await dashboard.signIn();
    await openMenu(page);
    await page.getByRole("menuitem", { name: "Members" }).click();
    await page.getByRole("button", { name: "New organization" }).click();
    await page.getByLabel("Name of the organization").fill("Second house");
    await page.keyboard.press("Enter");
    await page.getByRole("banner").getByText("Second house").waitFor();
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    assert.equal(await page.getByText("Contact").count(), 0);

    const tab = await page.context().newPage();
    await tab.goto("/members");
    await tab.getByRole("heading", { name: "You are the only member" }).waitFor();
    await openMenu(page);
    await assertAccessible(page, "the organizations in the menu");
    await page.getByRole("menuitemradio", { name: "Ada Example" }).click();
    await page.getByRole("link", { name: "Contact" }).waitFor();
    await tab.getByRole("link", { name: "Contact" }).waitFor();
    await page.goto(`/forms/${other.id}/settings`);
    await page.getByRole("button", { name: "Hand over" }).click();
    const question = page.getByRole("dialog", { name: "Hand “Hidden” over?" });
    await question.getByText("Members of this organization").waitFor();
    await assertAccessible(page, "handing a form over");
    await question.getByRole("button", { name: "Hand over" }).click();
    await page.getByRole("link", { name: "Contact" }).waitFor();
    await page.getByRole("link", { name: "Hidden" }).waitFor({ state: "detached" });
    await openMenu(page);
    await page.getByRole("menuitemradio", { name: "Second house" }).click();
    await page.getByRole("link", { name: "Hidden" }).waitFor();

    // A page that does not know of a switch elsewhere never acts for the other organization: it starts again, and shows that one.
    await page.evaluate(async () => {
      const { organizations } = await (await fetch("/api/organizations")).json();
      const { id } = organizations.find(({ current }: { current: boolean }) => !current);
      await fetch(`/api/organizations/${id}/switch`, { method: "POST" });
    });
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("link", { name: "Contact" }).waitFor();
    await page.getByRole("banner").getByText("Ada Example").waitFor();
    await page.context().close();
  });

  async function unlock(page: Page): Promise<void> {
    await page.getByLabel("Remember on this").check();
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer: keyFile });
    await page.getByText("Somebody").first().waitFor();
  }
  const findId = async () => (await client.members.list()).members.find(({ email }) => email === guest.email)?.id ?? "";
  const openMenu = (page: Page) => page.getByRole("button", { name: "Account menu" }).click();
});
