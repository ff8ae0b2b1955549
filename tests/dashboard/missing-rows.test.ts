import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

const everything = 130;
const firstPage = 100;
const stream = "**/submissions/export**";
const formats = ["Excel (XLSX)", "CSV", "JSON"];

interface Phase {
  readonly here: number;
  readonly total: number;
  /** Makes the service answer so, until the rest is asked for. */
  begin(page: Page): Promise<unknown>;
}

const hold = (page: Page) => intercept(page, stream, () => undefined);
const phases: Readonly<Record<string, Phase>> = {
  "is under way": { here: firstPage, total: everything, begin: hold },
  "was stopped": { here: firstPage, total: everything, begin: hold },
  "has failed": {
    here: firstPage,
    total: everything,
    begin: (page) => intercept(page, stream, (route) => route.fulfill({ status: 404, json: {} })),
  },
  "has ended with fewer than the service has": {
    here: everything,
    total: everything + 2,
    begin: (page) =>
      intercept(page, /\/submissions\?limit=/, async (route) => {
        // Playwright asks without this header, by which the service knows our own page.
        const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
        const response = await route.fetch({ headers });
        const body = await response.json();
        await route.fulfill({ response, json: { ...body, total: body.total + 2 } });
      }),
  },
  "is complete": { here: everything, total: everything, begin: async () => undefined },
};

describe("an inbox of which not all has arrived", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard);
  });
  after(() => dashboard.close());
  // The browser says of each answer that is no success that it failed.
  afterEach(() =>
    assert.deepEqual(
      dashboard.complaints.splice(0).filter((one) => !one.includes("404")),
      [],
    ),
  );

  for (const [phase, { here, total, begin }] of Object.entries(phases))
    test(`where loading ${phase}, exports, a selection of all and a deletion of all say how many of how many they are about`, async () => {
      const missing = total - here;
      const page = await dashboard.signIn(`/forms/${contact.form.id}`, phone);
      await begin(page);
      await contact.unlock(page);
      await page
        .getByText(missing === 0 ? `${total} submissions` : `${here} of ${total} submissions`, { exact: true })
        .waitFor();
      if (phase === "was stopped") await button(page, "Stop").click();
      const notice = page.getByText(`${here} of ${total} submissions are here; ${missing} are missing`);
      const hasNotice = missing > 0 && phase !== "is under way";
      if (hasNotice) await notice.waitFor();
      else assert.equal(await notice.count(), 0);

      await button(page, "Export").click();
      const dialog = page.getByRole("dialog");
      if (missing > 0) {
        await dialog.getByText(`${here} of ${total} submissions are here; ${missing} are missing`).waitFor();
        for (const format of formats) assert.equal(await button(dialog, format).isVisible(), false, format);
        await check(page, `an export where loading ${phase}`);
        await button(dialog, `Export without ${missing}`).click();
      }
      for (const format of formats) {
        const downloading = page.waitForEvent("download");
        await button(dialog, format).click();
        const path = await (await downloading).path();
        const said = missing === 0 ? "Saved as" : `, without ${missing} submissions that are not here`;
        await dialog.getByText(said).waitFor();
        if (format === "JSON") assert.equal(JSON.parse(readFileSync(path, "utf8")).length, here);
      }
      await button(dialog, "Close").last().click();

      await page.getByRole("checkbox", { name: "Select all shown" }).check();
      const selected = missing === 0 ? `${here} selected` : `${here} of ${total} selected`;
      await page.getByText(selected, { exact: true }).last().waitFor();
      await button(page, `Delete ${here}`).click();
      await dialog.getByText(`Move ${here} submissions to the bin?`).waitFor();
      assert.equal(
        await dialog.getByText(`${missing} more submissions are not here, and stay`).count(),
        missing > 0 ? 1 : 0,
      );
      await button(dialog, "Cancel").click();
      await button(page, "Clear selection").click();

      if (hasNotice) {
        await page.unrouteAll({ behavior: "ignoreErrors" });
        await button(page, "Load the rest").click();
        await page.getByText(`${everything} submissions`, { exact: true }).waitFor();
        await notice.waitFor({ state: "detached" });
      }
      await page.context().close();
    });
});
