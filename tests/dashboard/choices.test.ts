import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Locator } from "playwright-core";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { type Dashboard, startDashboard, submit, untilFocused } from "./dashboard.ts";

const buttonLook = [
  ...["height", "borderTopColor", "borderTopWidth", "borderTopLeftRadius", "backgroundColor"],
  ...["color", "fontFamily", "fontSize", "fontWeight", "cursor"],
];
const listLook = [
  ...["borderTopColor", "borderTopWidth", "borderTopLeftRadius", "backgroundColor", "paddingTop"],
  ...["color", "fontFamily", "fontSize", "fontWeight"],
];

/** The style that the browser draws with, of an element or of a part of it that only the browser has. */
const lookOf = (target: Locator, names: readonly string[], part?: string) =>
  target.evaluate(
    (element, { names, part }) => {
      const style = getComputedStyle(element, part);
      return Object.fromEntries(names.map((name) => [name, Reflect.get(style, name)]));
    },
    { names, part },
  );

describe("choices and columns", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  for (const colorScheme of ["light", "dark"] as const)
    test(`a choice looks as the menu next to it, closed and open, ${colorScheme}`, async () => {
      const page = await dashboard.signIn(`/forms/${contact.form.id}`, { colorScheme, reducedMotion: "reduce" });
      await contact.unlock(page);
      const choice = page.getByRole("combobox", { name: "Show" });
      // Until there are columns it can't be pressed, and looks so.
      const menuButton = page.getByRole("button", { name: "Columns", disabled: false });
      assert.deepEqual(await lookOf(choice, buttonLook), await lookOf(menuButton, buttonLook));
      await menuButton.press("Enter");
      const menuLook = await lookOf(page.getByRole("menu"), listLook);
      await page.keyboard.press("Escape");
      await choice.press("Space");
      assert.deepEqual(await lookOf(choice, listLook, "::picker(select)"), menuLook);
      await page.context().close();
    });

  test("a choice is made by keyboard alone, Escape leaves it as it was, and the screen reader knows it as a choice", async () => {
    const page = await dashboard.signIn(`/forms/${contact.form.id}`);
    await contact.unlock(page);
    await page.getByText("Opening").waitFor({ state: "detached" });
    const choice = page.getByRole("combobox", { name: "Show" });
    await choice.press("Space");
    await untilFocused(page.getByRole("option", { name: "All" }));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    await untilFocused(choice);
    assert.equal(await choice.inputValue(), "all");
    await choice.press("Space");
    await page.keyboard.press("End");
    await untilFocused(page.getByRole("option", { name: "Not opened" }));
    await page.keyboard.press("Enter");
    await untilFocused(choice);
    assert.equal(await choice.inputValue(), "failed");
    await page.getByText("0 of 130").waitFor();
    await page.context().close();
  });

  test("a column is as wide as its texts ask for: long answers get more room than short ones", async () => {
    const form = await contact.client.forms.create({ name: "Widths", publicKey: contact.pair.publicKey });
    const answer = { age: "38", email: "ada.example@example.com", story: "It began when the lift stopped. ".repeat(8) };
    await submit(dashboard.service, form, answer);
    const page = await dashboard.signIn(`/forms/${form.id}`, { viewport: { width: 1280, height: 800 } });
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer: bareKey() });
    const widthOf = async (name: string) => {
      const box = await page.getByRole("columnheader", { name }).boundingBox();
      return box?.width ?? 0;
    };
    await page.getByRole("columnheader", { name: "Story" }).waitFor();
    const [age, email, story] = [await widthOf("Age"), await widthOf("Email"), await widthOf("Story")];
    assert.ok(age > 0 && email > age && story > email, `${age} ${email} ${story}`);
    await page.context().close();
  });

  const bareKey = () => Buffer.from(JSON.stringify(contact.pair.privateKey));
});
