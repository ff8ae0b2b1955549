import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { CreatedForm } from "@sealpost/sdk";
import { addPerson, invite } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { type TestAccount, testPassword } from "../../packages/server/src/testing/test-service.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { makeAda, type Person } from "../support/people.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const finger = { ...phone, hasTouch: true, isMobile: true };

// Bo has an organization of his own, and was invited to Ada's.
describe("a new sign-in of somebody who was invited", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: TestAccount;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard({ environment: { SEALPOST_SIGNUP: "open" } });
    ada = await makeAda(dashboard.service);
    form = await ada.client.forms.create({ name: "Works council", publicKey: takeKeyPair().publicKey });
    bo = await dashboard.service.signUp("bo@example.com", "Bo Example");
    const token = await invite(ada.account, "bo@example.com", { role: "reader", forms: [form.id] });
    const { status } = await bo.request("POST", "/api/invitations/accept", { token });
    assert.equal(status, 200);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const signIn = async (path: string) => {
    const page = await dashboard.open(path, finger);
    await page.getByLabel("Email address").fill("bo@example.com");
    await page.getByLabel("Password", { exact: true }).fill(testPassword);
    await button(page, "Sign in").tap();
    return page;
  };

  test("lands in their own organization, and names the other, which a tap opens", async () => {
    const page = await signIn("/sign-in");
    await page.getByText("You are in “Bo Example”").waitFor();
    await check(page, "the own organization of somebody who was invited");
    await button(page, "Switch to Ada Example (Reader)").tap();
    await page.getByRole("link", { name: /Works council/ }).waitFor();
    assert.equal(await page.getByText("You are in “").count(), 0);
    await page.reload();
    await page.getByRole("link", { name: /Works council/ }).waitFor();
    assert.equal(await page.getByText("You are in “").count(), 0, "it was chosen");
    await page.context().close();
  });

  test("asks once where they stay, and again after the next sign-in", async () => {
    const page = await signIn("/sign-in");
    await button(page, "Stay here").tap();
    await page.getByText("You are in “").waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Create your first form" }).waitFor();
    assert.equal(await page.getByText("You are in “").count(), 0);
    await page.context().close();
    const next = await signIn("/sign-in");
    await next.getByText("You are in “Bo Example”").waitFor();
    await next.context().close();
  });

  test("leads by a link to a form of the other to that form", async () => {
    const page = await signIn(`/sign-in?next=${encodeURIComponent(`/forms/${form.id}`)}`);
    await page.getByText("It may be in another of your organizations").waitFor();
    await check(page, "a form of another organization");
    await button(page, "Switch to Ada Example (Reader)").tap();
    await page.getByRole("heading", { name: "Works council" }).waitFor();
    assert.ok(page.url().includes(form.id));
    await page.context().close();
  });

  test("says nothing to somebody who belongs to one organization", async () => {
    await addPerson(dashboard.service, ada.account, "cy@example.com", { role: "reader", forms: [form.id] });
    const page = await dashboard.open("/sign-in", finger);
    await page.getByLabel("Email address").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill(testPassword);
    await button(page, "Sign in").tap();
    await page.getByRole("link", { name: /Works council/ }).waitFor();
    assert.equal(await page.getByText("You are in “").count(), 0);
    await page.context().close();
  });
});
