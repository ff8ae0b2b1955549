import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertAccessible } from "../../../tests/dashboard/dashboard.ts";
import { embedCode, styleTag, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

// The optional stylesheet, on somebody's page.

const { service, site } = await startSiteAndService();
beforeEach(() => site.reset());

const fields = `
  <p data-sealpost-unavailable>Loading.</p>
  <p><label>Email <input name="email" type="email" required></label> <span data-sealpost-error="email"></span></p>
  <p><label>Topic <select name="topic"><option>Other, and something that is quite a bit longer than a phone is wide</option></select></label></p>
  <fieldset><legend>When</legend>
    <label><input type="radio" name="when" value="morning"> In the morning</label>
    <label><input type="radio" name="when" value="evening"> In the evening</label>
  </fieldset>
  <p><label>Message <textarea name="message">${"Donaudampfschifffahrt".repeat(8)}</textarea></label></p>
  <p><label><input type="checkbox" name="copy"> <span>Keep me <a href="#news">informed</a></span></label></p>
  <p hidden><label>Leave this empty <input name="_gotcha"></label></p>
  <p><button data-sealpost-submit disabled>Send</button></p>`;
const slots = `<p data-sealpost-success></p><p data-sealpost-error></p>`;

/** A page that suits light and dark devices, unless `scheme` is another. */
function openPage(formAttributes: string, inside = slots, around = "", scheme = "light dark"): Promise<Page> {
  const form = `<form method="dialog" class="sealpost-form" ${formAttributes}>${fields}${inside}</form>`;
  const css = "<style>body{margin:8px;font-family:sans-serif}</style>";
  const page = `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="${scheme}">${css}${styleTag(service)}<main><h1>Contact</h1>${around}${form}</main>`;
  return site.openNext(page + embedCode(service));
}

const styleOf = (locator: Locator, property: string) =>
  locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

test("a form with the stylesheet has no accessibility violation, light or dark, before, when refused and when sent, and fits 320 pixels", async () => {
  for (const inside of [slots, ""]) {
    const page = await openPage("", inside);
    await page.setViewportSize({ width: 320, height: 700 });
    const check = async (state: string) => {
      await untilState(page, state);
      await assertAccessible(page, state);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(width, 320, `${state} overflows`);
    };
    await check("idle");
    await page.getByRole("button").click();
    await page.getByText(/fill/).waitFor();
    await check("idle");
    await page.getByLabel("Email").fill("ada@example.com");
    service.nextPosts.push({ kind: "answer", status: 404, body: { error: "not_found", message: "Form not found" } });
    await page.getByRole("button").click();
    await check("error");
    await page.getByRole("button").click();
    await check("sent");
  }
});

test("controls of a styled form are 44 pixels high, their focus is seen, and letters are the page's", async () => {
  const page = await openPage("");
  await untilState(page, "idle");
  const controls = page.locator("label:has(> [type=radio], > [type=checkbox]), [type=email], select, textarea, button");
  for (const control of await controls.all()) {
    const height = (await control.boundingBox())?.height ?? 0;
    assert.ok(height >= 44, `${await control.evaluate((element) => element.outerHTML)} is ${height} high`);
    assert.equal(await styleOf(control, "font-family"), "sans-serif");
  }
  await page.keyboard.press("Tab");
  const focused = page.locator(":focus");
  assert.equal(await focused.getAttribute("name"), "email");
  assert.deepEqual(
    [await styleOf(focused, "outline-style"), await styleOf(focused, "outline-width")],
    ["solid", "3px"],
  );
  assert.equal(await page.locator("[name=_gotcha]").isVisible(), false);
  const height = () => page.locator("form").evaluate((form) => form.getBoundingClientRect().height);
  const withPlaces = await height();
  await page.locator("[role=status], [role=alert]").evaluateAll((all) => all.map((element) => element.remove()));
  assert.equal(withPlaces, await height(), "an empty place takes no room");
});

test("with the stylesheet the places of messages are in the accessibility tree before there is one", async () => {
  for (const inside of [slots, ""]) {
    const page = await openPage("", inside);
    await untilState(page, "idle");
    const places = Object.fromEntries(
      await Promise.all(
        (["status", "alert"] as const).map(async (role) => [role, await page.getByRole(role).count()] as const),
      ),
    );
    assert.deepEqual(places, { status: 1, alert: 1 });
  }
});

test("the visitor's own answers are offered in line with the form's messages, as high as a finger needs", async () => {
  for (const inside of [slots, ""]) {
    const page = await openPage("", inside);
    await untilState(page, "idle");
    await page.getByLabel("Email").fill("ada@example.com");
    const body = { error: "unavailable", message: "", code: "full", full: true, retryAfter: 3600 };
    service.nextPosts.push({ kind: "answer", status: 503, body });
    await page.getByRole("button").click();
    await untilState(page, "waiting");
    const copy = page.getByRole("link", { name: "Save your answers" });
    assert.ok(((await copy.boundingBox())?.height ?? 0) >= 44);
    assert.equal(await styleOf(copy, "padding-left"), "16px");
    await assertAccessible(page, "answers are offered");
  }
});

test("a page changes accent and corners by custom properties, keeps its form light if it says so, and nothing else of it is styled", async () => {
  const outside = `<p id="outside"><label>Search <input name="q"></label> <button form="none">Go</button></p>`;
  const page = await openPage('data-theme="light" dir="rtl"', slots, outside);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.addStyleTag({ content: ":root{--sealpost-accent:rgb(90, 20, 120);--sealpost-radius:0px}" });
  const form = page.locator("form");
  assert.equal(await styleOf(form, "background-color"), "rgb(255, 255, 255)");
  await page.getByRole("button", { name: "Send" }).and(page.locator(":enabled")).waitFor();
  assert.equal(await styleOf(form.getByRole("button"), "background-color"), "rgb(90, 20, 120)");
  assert.equal(await styleOf(form.locator("[type=email]"), "border-top-left-radius"), "0px");
  // From right to left, the mark of a message is on the right.
  await form.locator("[data-sealpost-error='']").evaluate((element) => element.append("Not sent"));
  const alert = form.getByRole("alert");
  assert.deepEqual(
    [await styleOf(alert, "border-right-width"), await styleOf(alert, "border-left-width")],
    ["4px", "0px"],
  );
  const styled = await page
    .locator("#outside *")
    .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).cssText));
  await page.locator("link").evaluate((element) => element.remove());
  const plain = await page
    .locator("#outside *")
    .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).cssText));
  assert.deepEqual(styled, plain);
});

test("a form is light or dark as its page is: a page that says nothing is light on a dark device too", async () => {
  const backgrounds = async (scheme: string, formAttributes = "") => {
    const page = await openPage(formAttributes, slots, "", scheme);
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(await styleOf(page.locator("form"), "background-color"));
    }
    return found;
  };
  const [light, dark] = ["rgb(255, 255, 255)", "rgb(23, 28, 26)"];
  assert.deepEqual(await backgrounds("normal"), [light, light]);
  assert.deepEqual(await backgrounds("light dark"), [light, dark]);
  assert.deepEqual(await backgrounds("dark"), [dark, dark]);
  assert.deepEqual(await backgrounds("light dark", 'data-theme="light"'), [light, light]);
  assert.deepEqual(await backgrounds("normal", 'data-theme="dark"'), [dark, dark]);
});
