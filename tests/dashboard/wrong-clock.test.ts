import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createAccount, type Dashboard, signInAgain, startDashboard, submit } from "./dashboard.ts";

const day = 86_400_000;

/** Milliseconds that a computer's clock is wrong by: its battery was empty, it is slow, it is right, somebody set it ahead. */
const wrongBy = [-3650 * day, -60 * day, 0, 400 * day];

describe("a computer whose clock is wrong", () => {
  // 45 days ago until the old ones are in.
  const clock = createFakeClock(Date.now() - 45 * day);
  let dashboard: Dashboard;
  let client: Client;
  let formId: string;

  before(async () => {
    dashboard = await startDashboard({ clock });
    client = await createAccount(dashboard.service);
    const form = await client.forms.create({ name: "Contact", publicKey: takeKeyPair().publicKey });
    formId = form.id;
    for (const message of ["old", "older"]) await submit(dashboard.service, form, { message });
    clock.advance(Date.now() - clock.now());
    client = await signInAgain(dashboard.service);
    await client.forms.rotateKeys(formId, { publicKey: takeKeyPair().publicKey });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  for (const wrong of wrongBy)
    test(`shows what would be deleted now, and ends keys when the person says: ${wrong / day} days`, async () => {
      const page = await dashboard.signIn();
      await page.clock.setSystemTime(Date.now() + wrong);
      await page.goto(`/forms/${formId}/keys`);
      await page.getByLabel("Version 1 takes submissions").selectOption("week");
      await page.getByRole("main").getByRole("button", { name: "Save" }).click();
      await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
      const { closesAt = 0 } = (await client.forms.keys(formId)).find(({ version }) => version === 1) ?? assert.fail();
      assert.ok(Math.abs(closesAt - Date.now() - 7 * day) < 600_000, `ends in ${(closesAt - Date.now()) / day} days`);
      await client.forms.closeKeys(formId, { below: 2, at: null });

      await page.goto(`/forms/${formId}/settings`);
      const retention = page.locator("section", { has: page.getByRole("heading", { name: "Keep submissions" }) });
      await retention.getByRole("switch", { name: "Delete old submissions" }).click();
      await retention.getByLabel("Days to keep a submission").fill("30");
      await retention.getByRole("button", { name: "Save" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete old submissions?" });
      await dialog.getByText("2 submissions are older than 30 days and will be deleted now, for good.").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await page.context().close();
    });
});
