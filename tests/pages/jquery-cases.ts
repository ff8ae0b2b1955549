import type { Tab } from "../browsers/tab.ts";
import type { PageCase, PageParts } from "./page-case.ts";

const sent = { kind: "sent" } as const;
const nothing = { kind: "nothing" } as const;
const fields = `<label>Mail <input name="mail" type="email" required></label><label>Message <textarea name="message" required></textarea></label><input type="hidden" name="written">`;
const press = (tab: Tab) => tab.click({ button: "Send" });
async function typeAndPress(tab: Tab): Promise<void> {
  await tab.fill("Mail", "a@b.example");
  await tab.fill("Message", "whether it rains");
  await press(tab);
}

const versions = [
  ["jQuery 4", "jquery/dist/jquery.js"],
  ["jQuery 3", "jquery-3/dist/jquery.js"],
] as const;

const validate = "jquery-validation/dist/jquery.validate.js";

/** The form, the snippet, and after it the page's own script. */
const page =
  (libraries: readonly string[], own: string) =>
  ({ form, snippet, script }: PageParts) =>
    `${libraries.map(script).join("")}<form ${form}>${fields}<button name="by" value="button">Send</button></form><button type="button" id="page">Page</button>${snippet()}<script>${own}</script>`;

export const jqueryCases: readonly PageCase[] = versions.flatMap(([name, jquery]) => [
  {
    title: `with what a delegated listener of ${name} writes at submit`,
    ending: sent,
    html: page(
      [jquery],
      `$(document).on("submit", "form", function () { $(this).find("[name=written]").val("by jQuery") })`,
    ),
    steps: typeAndPress,
  },
  {
    title: `of a form that a delegated listener of ${name} refuses: nothing`,
    ending: nothing,
    html: page([jquery], `$(document).on("submit", "form", () => false)`),
    steps: typeAndPress,
  },
  {
    title: `of a form that ${name} sends by .trigger("submit"), after its listeners`,
    ending: sent,
    markups: ["bare", "dialog", "post"],
    html: page(
      [jquery],
      `$("form").on("submit", () => { $("[name=written]").val("by jQuery") }); $("#page").on("click", () => $("form").trigger("submit"))`,
    ),
    async steps(tab: Tab) {
      await tab.fill("Message", "whether it rains");
      await tab.click({ button: "Page" });
    },
  },
  {
    title: `of a form that ${name} sends by .trigger("submit"), which its listener refuses: nothing`,
    ending: nothing,
    markups: ["bare", "dialog", "post"],
    html: page(
      [jquery],
      `$("form").on("submit", (event) => event.preventDefault()); $("#page").on("click", () => $("form").trigger("submit"))`,
    ),
    async steps(tab: Tab) {
      await tab.fill("Message", "whether it rains");
      await tab.click({ button: "Page" });
    },
  },
  {
    title: `of a form that jquery-validation (${name}) finds invalid: nothing, and its errors are shown`,
    ending: nothing,
    html: page([jquery, validate], `$("form").validate()`),
    async steps(tab: Tab) {
      await tab.fill("Mail", "not an address");
      await press(tab);
      await tab.see({ css: "label.error" });
    },
    probe: () => Array.from(document.querySelectorAll("label.error"), ({ textContent }) => textContent),
  },
  {
    title: `of a form that jquery-validation (${name}) finds valid`,
    ending: sent,
    html: page([jquery, validate], `$("form").validate()`),
    steps: typeAndPress,
  },
  {
    title: `of a form that the submitHandler of jquery-validation (${name}) sends by form.submit()`,
    ending: sent,
    markups: ["bare", "dialog", "post"],
    html: page(
      [jquery, validate],
      `$("form").validate({ submitHandler(form) { form.elements.written.value = "by hand"; form.submit() } })`,
    ),
    steps: typeAndPress,
  },
]);
