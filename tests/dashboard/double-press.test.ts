import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Dashboard, startDashboard } from "./dashboard.ts";

interface Made {
  readonly tag: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: string | Made;
}

/** Everything that the first half of a double press may bring under the finger. */
const controls: Readonly<Record<string, Made>> = {
  "a link": { tag: "a", attributes: { href: "#pressed" }, content: "Not now" },
  "a button": { tag: "button", content: "Delete" },
  "a check box": { tag: "label", content: { tag: "input", attributes: { type: "checkbox" }, content: "" } },
  "an option": { tag: "label", content: { tag: "input", attributes: { type: "radio" }, content: "" } },
  "a switch": { tag: "button", attributes: { role: "switch", "aria-checked": "false" }, content: "Email" },
  "a field": { tag: "input", attributes: { type: "text" }, content: "" },
  "a text area": { tag: "textarea", content: "" },
  "a list to choose from": { tag: "select", content: { tag: "option", content: "One" } },
  "a disclosure": { tag: "details", content: { tag: "summary", content: "More" } },
};
/** It comes to the button's place, or is below and the page moves. */
const arrivals = ["in the place of the button", "as the page moves"] as const;
const pointers = ["finger", "mouse"] as const;

const place = { x: 60, y: 130 };

describe("a double press", () => {
  let dashboard: Dashboard;
  let page: Page;

  before(async () => {
    dashboard = await startDashboard();
    page = await dashboard.open("/sign-in", { viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.getByRole("main").waitFor();
  });
  after(async () => {
    await page.context().close();
    await dashboard.close();
  });

  /** Covers the page with a button and a control, which the button's press brings to the button's place. */
  function show(control: Made, arrival: (typeof arrivals)[number] | "stays"): Promise<void> {
    return page.evaluate(
      ([made, how]) => {
        const make = ({ tag, attributes = {}, content }: Made): HTMLElement => {
          const element = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
          element.style.cssText = "position: relative; display: block; width: 200px; height: 60px";
          element.append(typeof content === "string" ? content : make(content));
          return element;
        };
        document.getElementById("box")?.remove();
        window.history.replaceState(null, "", window.location.pathname);
        const box = make({ tag: "div", attributes: { id: "box", "data-pressed": "0" }, content: "" });
        box.style.cssText = "position: fixed; inset: 0; z-index: 9; background: white; padding: 100px 0 0 20px";
        const first = make({ tag: "button", content: "Next" });
        const second = make(made);
        second.addEventListener("click", () => {
          box.dataset.pressed = String(Number(box.dataset.pressed) + 1);
        });
        if (how === "in the place of the button") first.addEventListener("click", () => first.replaceWith(second));
        if (how === "as the page moves") first.addEventListener("click", () => first.remove());
        if (how !== "stays") box.append(first);
        if (how !== "in the place of the button") box.append(second);
        document.body.append(box);
      },
      [control, arrival] as const,
    );
  }

  async function press(pointer: (typeof pointers)[number], times: number, at = place): Promise<void> {
    if (pointer === "mouse") return page.mouse.click(at.x, at.y, { clickCount: times });
    for (let time = 0; time < times; time++) await page.touchscreen.tap(at.x, at.y);
  }

  /** The effects on the control so far. */
  const findEffect = () =>
    page.evaluate(() => {
      const box = document.getElementById("box");
      const ticked = box?.querySelectorAll("input:checked, details[open]").length;
      const focused = box?.querySelectorAll("input:focus, textarea:focus, select:focus").length;
      return `${box?.dataset.pressed} pressed, ${ticked} ticked, ${focused} focused, ${window.location.hash}`;
    });
  const nothing = "0 pressed, 0 ticked, 0 focused, ";

  /** A press after one somewhere else is no second half. */
  const pressElsewhere = () => press("finger", 1, { x: 300, y: 700 });

  for (const [name, control] of Object.entries(controls))
    for (const arrival of arrivals)
      for (const pointer of pointers)
        test(`of a ${pointer} does nothing with ${name} that comes ${arrival}, and the next press does`, async () => {
          await pressElsewhere();
          await show(control, arrival);
          await press(pointer, pointer === "mouse" ? 2 : 3);
          assert.equal(
            await page.locator("#box").getByText("Next", { exact: true }).count(),
            0,
            "control: the first half counts",
          );
          assert.equal(await findEffect(), nothing);
          await pressElsewhere();
          await press(pointer, 1);
          assert.notEqual(await findEffect(), nothing);
        });

  for (const pointer of pointers) {
    test(`of a ${pointer} on a check box that was there ticks it and puts it back`, async () => {
      await pressElsewhere();
      await show(controls["a check box"] ?? assert.fail(), "stays");
      await press(pointer, 1);
      assert.match(await findEffect(), /1 ticked/);
      await pressElsewhere();
      await show(controls["a check box"] ?? assert.fail(), "stays");
      await press(pointer, 2);
      assert.match(await findEffect(), /^[2-4] pressed, 0 ticked/);
    });
    test(`of a ${pointer} on a button does its work once, and one that may repeat twice`, async () => {
      for (const [attributes, times] of [
        [{}, /^1 pressed/],
        [{ "data-may-repeat": "true" }, /^2 pressed/],
      ] as const) {
        await pressElsewhere();
        await show({ tag: "button", attributes, content: "Older" }, "stays");
        await press(pointer, 2);
        assert.match(await findEffect(), times);
      }
    });
  }

  test("of two fingers on two controls, however quick, presses both", async () => {
    await pressElsewhere();
    await show(
      {
        tag: "div",
        content: { tag: "label", content: { tag: "input", attributes: { type: "checkbox" }, content: "" } },
      },
      "stays",
    );
    await page.evaluate(() => {
      const [label] = document.querySelectorAll("#box label");
      label?.parentElement?.append(label.cloneNode(true));
    });
    await press("finger", 1);
    await press("finger", 1, { ...place, y: place.y + 60 });
    assert.match(await findEffect(), /2 ticked/);
  });

  test("of a finger is one within half a second, and two presses after it", async () => {
    await pressElsewhere();
    await show(controls["a link"] ?? assert.fail(), "in the place of the button");
    await press("finger", 1);
    const end = await page.evaluate(() => performance.now() + 550);
    await page.waitForFunction((at) => performance.now() > at, end);
    await press("finger", 1);
    assert.match(await findEffect(), /#pressed/);
  });

  test("of the keyboard on what comes to the place of a button counts", async () => {
    await pressElsewhere();
    await show(controls["a link"] ?? assert.fail(), "in the place of the button");
    await press("finger", 1);
    await page.locator("#box a").focus();
    await page.keyboard.press("Enter");
    assert.match(await findEffect(), /#pressed/);
  });
});
