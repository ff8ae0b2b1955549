import assert from "node:assert/strict";
import type { Fields } from "@sealpost/wire";
import type { Locator, Page, Response } from "playwright-core";

const values: Readonly<Record<string, string>> = {
  email: "ada@example.com",
  date: "2026-12-01",
  tel: "+44 20 7946 0958",
};

/** Types into every field that a visitor sees, and gives what the owner should read. */
export async function fillIn(form: Locator): Promise<Fields> {
  const fields = new Map<string, string>();
  for (const input of await form.locator("input[name], textarea[name]").all()) {
    if (!(await input.isVisible())) continue;
    const name = (await input.getAttribute("name")) ?? "";
    const value = values[(await input.getAttribute("type")) ?? ""] ?? `Typed by the test, for “${name}”`;
    await input.fill(value);
    fields.set(name, value);
  }
  assert.ok(fields.size > 0, "a form without fields");
  return Object.fromEntries(fields);
}

/** Presses the one button, once the page has enabled it; gives the answer of the service. */
export async function sendForm(page: Page, form: Locator): Promise<Response> {
  const answered = page.waitForResponse(
    (response) => response.request().method() === "POST" && /\/(submissions|f\/\w+)$/.test(response.url()),
  );
  await form.getByRole("button").click();
  return answered;
}
