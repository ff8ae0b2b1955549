import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Dashboard, person, startDashboard, submit } from "./dashboard.ts";
import { tabTo } from "./tab-to.ts";

describe("by keyboard alone", () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard({ environment: { SEALPOST_SIGNUP: "first" } });
  });
  after(() => dashboard.close());

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  test("an account, a form, its key, its code, a submission and an export are made without a pointer", async () => {
    const page = await dashboard.open(`/setup?token=${dashboard.service.setupToken}`);
    const { keyboard } = page;
    const press = async (target: Locator) => {
      await tabTo(page, target);
      await keyboard.press("Enter");
    };

    // The account. The first field has the focus from the start.
    await tabTo(page, page.getByLabel("Your name"));
    await keyboard.type(person.name);
    await tabTo(page, page.getByLabel("Email address"));
    await keyboard.type(person.email);
    await tabTo(page, page.getByLabel("Password", { exact: true }));
    await keyboard.type(person.password);
    await keyboard.press("Enter");

    // The form and its key.
    await press(page.getByRole("link", { name: "Create your first form" }));
    await tabTo(page, page.getByRole("textbox", { name: "Name" }));
    await keyboard.type("Works council");
    await tabTo(page, page.getByRole("switch", { name: "Strip personal data" }));
    await keyboard.press("Space");
    await press(button(page, "Continue"));
    const download = page.waitForEvent("download");
    await press(button(page, "Download key file"));
    const keyPath = await (await download).path();
    await press(button(page, "Continue"));
    const chooser = page.waitForEvent("filechooser");
    await press(button(page, "Choose key file"));
    await (await chooser).setFiles(keyPath);
    await page.getByText("The test value was opened").waitFor();
    await press(button(page, "Create form"));

    // The code: the ways are tabs, which the arrow keys change.
    await page.getByText("Waiting for the first submission").waitFor();
    await tabTo(page, page.getByRole("tab", { name: "HTML", exact: true }));
    await keyboard.press("ArrowRight");
    await page.getByRole("tabpanel", { name: "React" }).waitFor();
    await keyboard.press("ArrowLeft");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page.getByRole("tabpanel", { name: "HTML" }).getByRole("button", { name: "Copy" }));
    await page.getByText("Copied").first().waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /<script src="[^"]+" integrity="sha\d+-/);

    // Two submissions come, and are read, selected and exported.
    const formId = /\/forms\/(form_\w+)\//.exec(page.url())?.[1] ?? "";
    const { body } = await dashboard.service.request("GET", `/api/forms/${formId}/public`);
    for (const message of ["the first question", "the second question"])
      await submit(dashboard.service, body.form, { message });
    await press(page.getByRole("link", { name: "Open submissions" }));
    await page.getByText("2 submissions", { exact: true }).waitFor();
    const rows = page.getByRole("row");
    await tabTo(page, rows.nth(1).getByRole("button"));
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    const detail = page.getByRole("region", { name: "Submission", exact: true });
    await detail.getByText("the first question").waitFor();
    await tabTo(page, detail.getByRole("button", { name: "Newer" }));
    await keyboard.press("Enter");
    await detail.getByText("the second question").waitFor();
    // At the end of the list the button stays where it is, and so does the focus.
    await keyboard.press("Enter");
    await tabTo(page, detail.getByRole("button", { name: "Newer" }));
    await keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await tabTo(page, rows.nth(1).getByRole("button"));
    await tabTo(page, button(page, "Export"), "Shift+Tab");
    await keyboard.press("Enter");
    const file = page.waitForEvent("download");
    await press(button(page, "JSON"));
    const exported: { fields: { message: string } }[] = JSON.parse(readFileSync(await (await file).path(), "utf8"));
    assert.deepEqual(
      exported.map(({ fields }) => fields.message),
      ["the second question", "the first question"],
    );
    await keyboard.press("Escape");
    await tabTo(page, button(page, "Export"));

    // Locked again, and out by the menu.
    await press(page.getByRole("button", { name: "Lock" }));
    await page.getByText("2 submissions are here").waitFor();
    await tabTo(page, page.getByRole("button", { name: "Account menu" }), "Shift+Tab");
    await keyboard.press("Enter");
    await tabTo(page, page.getByRole("menuitem", { name: "Sign out" }), "ArrowDown");
    await keyboard.press("Enter");
    await page.getByText("You are signed out").waitFor();
    assert.deepEqual(dashboard.complaints, []);
    await page.context().close();
  });
});
