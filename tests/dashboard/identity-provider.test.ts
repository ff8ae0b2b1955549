import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { startTestProvider, type TestProvider } from "../../packages/server/src/oidc/testing/test-provider.ts";
import { invite } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { assertAccessible, type Dashboard, person, startDashboard } from "./dashboard.ts";
import { loseAnswers } from "./lose-answers.ts";

describe("signing in with the identity provider", () => {
  let dashboard: Dashboard;
  let provider: TestProvider;
  let owner: Awaited<ReturnType<Dashboard["service"]["signUp"]>>;
  const closers: (() => unknown)[] = [];
  before(async () => {
    provider = await startTestProvider({ after: (close) => closers.push(close as () => unknown) });
    dashboard = await startDashboard({ environment: { SEALPOST_SIGNUP: "first", ...provider.environment } });
    owner = await dashboard.service.signUp(person.email);
  });
  after(async () => {
    await dashboard.close();
    for (const close of closers) await close();
  });
  // The way to the provider leads elsewhere, and nothing else does.
  afterEach(() =>
    assert.deepEqual(
      dashboard.complaints.filter((complaint) => !complaint.startsWith(`request to ${provider.issuer}/`)),
      [],
    ),
  );

  const button = (page: Page) => page.getByRole("button", { name: "Sign in with the house" });

  test("a person reads what is wrong and what to do, links their sign-in, uses it, and ends it; keyboard, phone and screen reader included", async () => {
    const page = await dashboard.open("/sign-in", { viewport: { width: 390, height: 844 } });
    // It is away.
    await button(page).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "The identity provider does not answer" }).waitFor();
    await provider.admit(dashboard.service.url);
    // Nobody here is known by an address.
    provider.person = { sub: "ada", email: person.email, email_verified: true };
    await button(page).click();
    await page.getByRole("alert").filter({ hasText: "Ask an owner for an invitation" }).waitFor();
    await assertAccessible(page, "sign-in with an identity provider");
    const { scrollWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }));
    assert.ok(scrollWidth <= 390, `${scrollWidth} pixels`);

    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    await page.goto("/account");
    await page.getByRole("button", { name: "Link with the house" }).click();
    await page.getByRole("status").filter({ hasText: "Your sign-in is linked" }).waitFor();
    const linked = page.getByRole("list", { name: "Linked sign-ins" });
    await linked.getByText(person.email).waitFor();
    await assertAccessible(page, "linked sign-ins");

    // From a page that wants a session, there and back to it.
    await page.context().clearCookies();
    await page.goto("/api-keys");
    await button(page).click();
    await page.waitForURL("**/api-keys");
    await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
    await page.goto("/account");
    await page.getByRole("button", { name: `Unlink ${person.email}` }).click();
    const unlink = page.getByRole("dialog").getByRole("button", { name: "Unlink" });
    // Its answer is lost; pressed again, it is gone.
    const find = await loseAnswers(page);
    await unlink.click();
    await page.getByRole("alert").filter({ hasText: "It may have been done" }).waitFor();
    await find();
    await unlink.click();
    await unlink.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Link with the house" }).waitFor();
    assert.equal(await linked.getByText(person.email).count(), 0);
    await page.context().close();
  });

  test("who was invited comes in by the invitation's link and the provider, where sign-up is closed", async () => {
    const token = await invite(owner, "grace@example.com", { role: "manager" });
    provider.person = { sub: "grace", email: "grace@example.com", email_verified: true, name: "Grace" };
    const page = await dashboard.open(`/invitation#${token}`);
    await button(page).click();
    await page.getByRole("heading", { name: "Forms", exact: true }).waitFor();
    const { members } = (await owner.request("GET", "/api/members")).body;
    assert.equal(members.length, 2);
    await page.context().close();
  });
});
