import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { assertAccessible, assertWordsRefused, type Dashboard, person, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("set-up, sign-in and sign-out", () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard({ environment: { SEALPOST_SIGNUP: "first" } });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("a fresh instance leads to its set-up page, and the token leaves the address at once", async () => {
    const page = await dashboard.open("/");
    await page.waitForURL("**/setup");
    await page.goto("/setup?token=something-secret");
    await page.getByRole("heading", { name: "Set up Sealpost" }).waitFor();
    assert.equal(new URL(page.url()).search, "");
    await assertAccessible(page, "set-up");
    await page.context().close();
  });

  test("without the token of the set-up address there is no form to fill in, but where to find that address", async () => {
    const page = await dashboard.open("/sign-up");
    for (const path of ["/sign-up", "/setup", "/setup?token="]) {
      await page.goto(path);
      await page.getByText("open the whole set-up address that the service prints when it starts").waitFor();
      await page.getByText("docker compose logs sealpost").waitFor();
      assert.equal(await page.getByRole("textbox").count(), 0, path);
      assert.equal(await page.getByRole("button", { name: "Create account" }).count(), 0, path);
    }
    await assertAccessible(page, "set-up without its token");
    await page.goto(`/setup?token=${dashboard.service.setupToken}`);
    await page.getByRole("button", { name: "Create account" }).waitFor();
    // The tab keeps the token that is no longer in its address.
    await page.goto("/sign-in");
    await page.goBack();
    await page.getByRole("button", { name: "Create account" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Create account" }).waitFor();
    await page.goto("/setup?token=of-another-instance");
    await page.getByLabel("Your name").fill(person.name);
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Create account" }).click();
    const refused = page.getByRole("alert").filter({ hasText: "is not the one of this instance" });
    assert.doesNotMatch(await refused.innerText(), /setupToken/);
    await assertAccessible(page, "a wrong token");
    await page.context().close();
  });

  test("the first account is made once; then the set-up page is closed, and leads who is signed in to the forms", async () => {
    const page = await dashboard.open(`/setup?token=${dashboard.service.setupToken}`);
    await page.getByLabel("Your name").fill(person.name);
    await page.getByLabel("Email address").fill(person.email);
    const password = page.getByLabel("Password", { exact: true });
    await assertWordsRefused(page, password, "Create account");
    await password.fill(person.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Create your first form" }).waitFor();
    assert.equal(await page.evaluate(() => window.sessionStorage.length), 0, "the token is gone once it was used");
    await assertAccessible(page, "forms, first run");
    await page.goto("/setup");
    await page.getByText(`This browser is signed in as ${person.email}`).waitFor();
    await assertAccessible(page, "set-up, signed in");
    await page.getByRole("link", { name: "Go to your forms" }).click();
    await page.getByRole("heading", { name: "Create your first form" }).waitFor();
    await page.context().clearCookies();
    await page.goto("/setup");
    await page.getByRole("heading", { name: "Sign-up is closed" }).waitFor();
    await page.context().close();
  });

  test("a wrong password is refused in words, and what was typed stays", async () => {
    const page = await dashboard.open("/sign-in");
    await page.getByLabel("Email address").fill(person.email);
    await page.getByText("This instance sends no emails. Its operator can set a new password").waitFor();
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "Email address or password is wrong" }).waitFor();
    assert.equal(await page.getByLabel("Email address").inputValue(), person.email);
    await assertAccessible(page, "sign-in with an error");
    await page.context().close();
  });

  test("signing in leads back to where one wanted to go, and signing out ends it everywhere", async () => {
    const page = await dashboard.open("/account");
    await page.waitForURL("**/sign-in?next=%2Faccount");
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await assertAccessible(page, "account");
    await page.getByRole("button", { name: "Account menu" }).click();
    await assertAccessible(page, "account menu");
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You are signed out").waitFor();
    await page.goto("/account");
    await page.waitForURL("**/sign-in**");
    await page.context().close();
  });

  test("a session that was ended elsewhere leads to the sign-in page with the reason", async () => {
    const page = await dashboard.signInByPage();
    const other = await dashboard.signInByPage();
    await other.goto("/account");
    await other.getByRole("button", { name: "End all others" }).click();
    await other.getByRole("status").filter({ hasText: "There is no other session." }).waitFor();
    // The pressed button is gone: the next Tab continues from the list, not from the top of the page.
    await other.waitForFunction(() => document.activeElement?.matches("ul"));
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByText("Your session has ended").waitFor();
    await page.context().close();
    await other.context().close();
  });

  test("the sign-in page leads nowhere outside of the app", async () => {
    for (const next of ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      const page = await dashboard.open(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel("Email address").fill(person.email);
      await page.getByLabel("Password", { exact: true }).fill(person.password);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Forms" }).waitFor();
      assert.equal(new URL(page.url()).origin, dashboard.service.url);
      await page.context().close();
    }
  });

  test("an address without security gets one page that says why and how to get out", async () => {
    const context = await dashboard.browser.newContext();
    const page = await context.newPage();
    // A stand-in for http://nas:8080: the same page under a name that browsers don't trust.
    await intercept(page, "http://nas.test/**", async (route) => {
      const url = new URL(route.request().url());
      const response = await fetch(`${dashboard.service.url}${url.pathname}`, { headers: { accept: "*/*" } });
      await route.fulfill({
        status: response.status,
        contentType: response.headers.get("content-type") ?? "",
        body: Buffer.from(await response.arrayBuffer()),
      });
    });
    await page.goto("http://nas.test/");
    await page.getByRole("heading", { name: "This address is not secure" }).waitFor();
    await assertAccessible(page, "insecure address");
    await context.close();
  });
});
