import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createClient } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { findPage, type Pages, pageNames, pages } from "../../packages/dashboard/src/pages.ts";
import { assertAccessible, type Dashboard, person, signInAgain, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

type PageWithSecret = {
  [Name in keyof Pages]: Pages[Name] extends { readonly hasSecret: true } ? Name : never;
}[keyof Pages];

/** Fragments of links that were used, and the button that their page offers; none where the page acts at once. */
const presses: Readonly<Record<PageWithSecret, readonly (readonly [fragment: string, button?: string])[]>> = {
  join: [["made-up"]],
  verifyEmail: [["made-up"]],
  resetPassword: [["made-up", "Set password"]],
  address: [
    ["omade-up", "Confirm the move"],
    ["omade-up", "It was not me: refuse it"],
    ["nmade-up", "Confirm the move"],
    ["umade-up", "Undo the move"],
  ],
  invitation: [["made-up"]],
};

describe("links whose answer was lost", () => {
  let dashboard: Dashboard;
  before(async () => {
    // Nothing listens there: no link of these tests is one that was mailed.
    const environment = {
      SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off",
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    };
    dashboard = await startDashboard({ environment });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  /** The next request that matches arrives, and its answer does not. */
  async function loseAnswer(page: Page, address: string): Promise<void> {
    let isLost = false;
    await intercept(page, address, async (route) => {
      if (isLost) return route.fallback();
      isLost = true;
      // The cookies of the answer are lost with it.
      const cookies = await page.context().cookies();
      await route.fetch();
      await page.context().clearCookies();
      await page.context().addCookies(cookies);
      await route.abort("connectionreset");
    });
  }

  async function pressTwice(page: Page, button: string): Promise<void> {
    await page.getByRole("button", { name: button, exact: true }).click();
    const lost = page.getByRole("alert").filter({ hasText: "No answer came from the server" });
    await lost.waitFor();
    // These pages show nothing of what was done.
    assert.doesNotMatch(await lost.innerText(), /look at what this page shows/);
    await page.getByRole("button", { name: button, exact: true }).click();
  }

  async function createAccountTwice(page: Page, { name, email, password }: Partial<typeof person>, button: string) {
    await page.getByLabel("Your name").fill(name ?? "");
    if (email !== undefined) await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password ?? "");
    await loseAnswer(page, "**/api/auth/sign-up/email");
    await pressTwice(page, button);
    await page.getByText("If you pressed the button a moment ago, it may have worked: sign in").waitFor();
    await page.getByRole("link", { name: "Sign in instead" }).waitFor();
    await assertAccessible(page, button);
  }

  test("who made the first account, and got no answer, finds the way to sign in", async () => {
    const page = await dashboard.open(`/setup?token=${dashboard.service.setupToken}`);
    await createAccountTwice(page, person, "Create account");
    await page.context().close();
    await signInAgain(dashboard.service);
  });

  test("every page to which a link with a secret leads has a link to the next step, once that link was used", async () => {
    const page = await dashboard.signIn();
    for (const name of pageNames.filter((one): one is PageWithSecret => "hasSecret" in pages[one])) {
      for (const [fragment, button] of presses[name]) {
        await page.goto("about:blank");
        await page.goto(`${dashboard.service.url}${pages[name].path}#${fragment}`);
        if (name === "resetPassword") await page.getByLabel("New password").first().fill("another horse battery");
        if (button !== undefined) {
          await page.getByRole("button", { name: button, exact: true }).click();
          await page.getByRole("alert").filter({ hasText: "If you pressed" }).waitFor();
          await assertAccessible(page, `${name} ${button}`);
        }
        const isNext = (address: string | null) => {
          const next = findPage(new URL(address ?? "", page.url()).pathname);
          return next !== undefined && next !== name;
        };
        const link = page.locator("a[href]:visible");
        await link.nth(1).waitFor(); // the documentation's and another one
        const addresses = await Promise.all((await link.all()).map((one) => one.getAttribute("href")));
        assert.ok(addresses.some(isNext), `${name} ${button}: ${addresses.join(" ")}`);
      }
    }
    await page.context().close();
  });

  test("an invitation whose acceptance was not answered is recognized as accepted, by a member and by a new account", async () => {
    const { service } = dashboard;
    const founder = await signInAgain(service);
    const pathOf = (url: string | undefined) => (url ?? assert.fail()).slice(service.url.length);
    const invitation = await founder.invitations.create({ email: "grace@example.com", role: "owner" });
    const newcomer = await dashboard.open(pathOf(invitation.url));
    await createAccountTwice(newcomer, { name: "Grace", password: person.password }, "Create account and join");
    await newcomer.context().close();

    const other = await service.signUp("other@example.com", "Other");
    await service.database.updateTable("person").set({ verification: "trusted" }).execute();
    const { url } = await createClient({ baseUrl: service.url, token: other.token }).invitations.create({
      email: person.email,
      role: "owner",
    });
    const page = await dashboard.signIn(pathOf(url));
    await loseAnswer(page, "**/api/invitations/accept");
    await pressTwice(page, "Accept");
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    const { organizations } = await (await signInAgain(service)).organizations.list();
    assert.deepEqual(organizations.map(({ name }) => name).sort(), [person.name, "Other"].sort());
    await page.context().close();
  });
});
