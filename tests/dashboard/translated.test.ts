import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { phone } from "../support/check-page.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, startDashboard, submit } from "./dashboard.ts";

// Browsers offer to translate a page that is in another language than their own.

describe("a page that the browser translates", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard, 125);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  for (const way of ["in one step", "in two steps"] as const)
    test(`shows what has changed since, and loses no part of the app: ${way}`, async () => {
      const { submissionCount } = await contact.client.forms.get(contact.form.id);
      const page = await dashboard.signIn(`/forms/${contact.form.id}`, phone);
      await contact.unlock(page);
      await page.getByText(`${submissionCount} submissions`).waitFor();
      await page.getByText("Opening").waitFor({ state: "detached" });
      await translate(page, way);
      await page.getByText(`¤${submissionCount} submissions`).waitFor();
      await submit(dashboard.service, contact.form, { name: "Newest" });
      await page.getByRole("button", { name: "Look for new submissions" }).click();
      const count = page.getByText(`${submissionCount + 1} submissions`);
      await count.waitFor();
      assert.equal(await page.getByText(`¤${submissionCount} submissions`).count(), 0);
      // Texts that come and go.
      await translate(page, way);
      await page.getByRole("checkbox").nth(1).check();
      await page.getByText("1 selected").first().waitFor();
      await translate(page, way);
      await page.getByRole("checkbox").nth(1).uncheck();
      await page.getByText("1 selected").first().waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Embed" }).click();
      await page.getByRole("heading", { name: "Put the form on your page" }).waitFor();
      await page.context().close();
    });
});

/** As browsers do it: an element of theirs in the place of each text. */
function translate(page: Page, way: "in one step" | "in two steps"): Promise<void> {
  return page.evaluate((how) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) {
      const text = walker.currentNode as Text; // by the filter
      const around = text.parentElement?.closest("font, script, style, [translate=no]");
      if (text.data.trim() !== "" && !around) texts.push(text);
    }
    for (const text of texts) {
      const translation = document.createElement("font");
      translation.append(Object.assign(document.createElement("font"), { textContent: `¤${text.data}` }));
      if (how === "in one step") text.replaceWith(translation);
      else {
        text.before(translation);
        text.remove();
      }
    }
  }, way);
}
