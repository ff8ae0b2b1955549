import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { CreatedForm } from "@sealpost/sdk";
import { findButton as button, checkPage, phone } from "../support/check-page.ts";
import { makeAdaWithForm, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

describe("a form that the server calls something else than its envelope", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard();
    ({ ada, form } = await makeAdaWithForm(dashboard.service));
    await ada.client.forms.update(form.id, { name: "Vertrauensstelle_".repeat(5) });
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("both names fit a phone, next to the readers and in the dialog that changes them, and a press sets the server's back", async () => {
    const page = await openBrowserOf(ada, dashboard, { ...phone, hasTouch: true });
    await page.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    const notice = page.getByText("This is the form “Works council”, by its envelope");
    await notice.first().waitFor();
    await button(page, "Change readers").waitFor();
    await checkPage(page, "two names of a form");
    await button(page, "Change readers").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Ada Example" }).waitFor();
    await checkPage(page, "readers of a form with two names");
    await button(dialog, "Set the server's name back").click();
    await notice.first().waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Works council", level: 1 }).waitFor();
    await page.context().close();
  });
});
