import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import type { PublicKey } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import { assertAccessible, createAccount, type Dashboard, startDashboard, submit } from "./dashboard.ts";

describe("what an account stores", () => {
  let dashboard: Dashboard;
  let client: Client;
  let formId: string;
  let publicKey: PublicKey;
  let page: Page;

  before(async () => {
    dashboard = await startDashboard({ environment: { SEALPOST_QUOTAS: "on" } });
    client = await createAccount(dashboard.service);
    ({ publicKey } = takeKeyPair());
    ({ id: formId } = await client.forms.create({ name: "Contact", publicKey }));
    await client.forms.create({ name: "Other", publicKey });
    const { database } = dashboard.service;
    await database
      .updateTable("form_count")
      .set({ bytes: 450 * 1_048_576 })
      .where("form_id", "=", formId)
      .execute();
    page = await dashboard.signIn();
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("a form that is almost full is named above the forms, and the account page says how full each is", async () => {
    await page.getByText("“Contact” has filled 87 % of what a form may store").waitFor();
    await assertAccessible(page, "usage");
    await page.getByRole("link", { name: "Storage" }).click();
    await page.getByRole("meter", { name: "Your account" }).waitFor();
    await page.getByText("450 MiB of 1 GiB").waitFor();
    await page.getByText("450 MiB of 512 MiB").waitFor();
    assert.equal(await page.getByRole("meter", { name: "Contact" }).getAttribute("value"), String(450 * 1_048_576));
    await assertAccessible(page, "usage");
  });

  test("an audit log that is almost full is named, with what that means, and the account page says how full it is", async () => {
    const { database } = dashboard.service;
    const { id } = await client.account.get();
    const setForm = (bytes: number) =>
      database.updateTable("form_count").set({ bytes }).where("form_id", "=", formId).execute();
    await setForm(0);
    await database
      .insertInto("counted_bytes")
      .values({ owner_id: `log ${id}`, bytes: 450 * 1_048_576 })
      .execute();
    await page.goto("/");
    await page.getByText("The audit log has filled 87 % of its storage").waitFor();
    await page.getByText("Submissions arrive in any case.").waitFor();
    await page.getByRole("link", { name: "Open the audit log" }).click();
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
    await page.getByText("The audit log has filled 87 % of its storage").waitFor();
    await assertAccessible(page, "usage");
    await page.goto("/account");
    await page.getByRole("meter", { name: "Audit log" }).waitFor();
    await page.getByText("450 MiB of 512 MiB").waitFor();
    await assertAccessible(page, "usage");
    await database.deleteFrom("counted_bytes").where("owner_id", "=", `log ${id}`).execute();
    await setForm(450 * 1_048_576);
  });

  test("an organization that somebody left says so, with what fills it, and counts for its owner after one press", async () => {
    const { service } = dashboard;
    const former = await service.signUp("former@example.com", "Mallory");
    const owner = await client.account.get();
    const left = await former.request("POST", "/api/forms", { name: "Left", publicKey });
    const invited = await former.request("POST", "/api/invitations", { email: owner.email, role: "owner" });
    const token = String(invited.body.url).split("#")[1];
    await client.invitations.accept(token ?? "");
    assert.equal((await former.request("POST", "/api/members/leave")).status, 200);
    const setBytes = (bytes: number) =>
      service.database.updateTable("form_count").set({ bytes }).where("form_id", "=", left.body.form.id).execute();
    await setBytes(900 * 1_048_576);
    const actFor = (id: string) => service.database.updateTable("session").set({ organization_id: id }).execute();
    await actFor(former.id);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/account");
    await page.getByText("Somebody who is no owner any more answered for the storage").waitFor();
    await page.getByRole("meter", { name: "Mallory" }).waitFor();
    assert.equal(await page.getByRole("meter", { name: "Your account" }).count(), 0);
    await page.getByText("It has a storage of its own now, which nothing outside of it fills.").waitFor();
    await assertAccessible(page, "usage");
    // The owner's own ones store 450 MiB: both together are more than the plan.
    const take = page.getByRole("button", { name: "Count it for me" });
    await take.click();
    await page.getByText(/would store 1351 MiB.*They are: “.+” \(451 MiB\)/).waitFor();
    await setBytes(100 * 1_048_576);
    await take.click();
    await page.getByText("This organization counts towards your storage from now on.").waitFor();
    await page.getByText("Together they have filled 53 % of it.").waitFor();
    await page.getByRole("meter", { name: "Mallory" }).waitFor();
    assert.equal(await take.count(), 0);
    await assertAccessible(page, "usage");
    await actFor(owner.id);
  });

  test("a form's limits are set on its settings page, and what is no number is said at its field", async () => {
    await page.goto(`/forms/${formId}/settings`);
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Limits" }) });
    await section.getByText("up to 1 MiB, any number within an hour").waitFor();
    await section.getByLabel("Largest submission").fill("0x10");
    await section.getByLabel("Submissions within an hour").fill("1e2");
    await section.getByRole("button", { name: "Save" }).click();
    await section.getByText("Enter a whole number from 3 to 1,024").waitFor();
    await section.getByText("Enter a whole number from 1 to 1,000,000, or leave it empty").waitFor();
    // Sealed and padded, the shortest answer takes more than 2 KiB: a limit of 2 would refuse every visitor.
    await section.getByLabel("Submissions within an hour").fill("");
    await section.getByLabel("Largest submission").fill("2");
    await section.getByRole("button", { name: "Save" }).click();
    await section.getByText("or leave it empty").waitFor({ state: "detached" });
    await section.getByText("Enter a whole number from 3 to 1,024").waitFor();
    await section.getByLabel("Largest submission").fill("3");
    await section.getByRole("button", { name: "Save" }).click();
    await section.getByText("up to 3 KiB").waitFor();
    await submit(dashboard.service, { id: formId, publicKey }, { message: "shortest" });
    await section.getByLabel("Largest submission").fill("64");
    await section.getByLabel("Submissions within an hour").fill("100");
    await section.getByRole("button", { name: "Save" }).click();
    await section.getByText("up to 64 KiB, at most 100 within an hour").waitFor();
    const { settings } = await client.forms.get(formId);
    assert.deepEqual([settings.submissionBytesMax, settings.submissionsPerHour], [65_536, 100]);
    await assertAccessible(page, "usage");
    await page.setViewportSize({ width: 390, height: 844 });
    await section.scrollIntoViewIfNeeded();
    await page.goto("/");
    await page.getByText("“Contact” has filled").waitFor();
    await page.goto("/account");
    await page.getByText("450 MiB of 512 MiB").waitFor();
  });
});
