import assert from "node:assert/strict";
import type { Tab } from "../browsers/tab.ts";
import type { PageCase, PageParts } from "./page-case.ts";

// The page's own scripts, at work while a form is being submitted.

const sent = { kind: "sent" } as const;
const nothing = { kind: "nothing" } as const;
const fields = `<input type="hidden" name="signature"><fieldset><label>Message <textarea name="message"></textarea></label></fieldset>`;
const button = `<button name="by" value="button">Send</button>`;
const typeAndPress = async (tab: Tab) => {
  await tab.fill("Message", "whether it rains");
  await tab.click({ button: "Send" });
};
/** A form, the snippet, and after it a script in which `form` is the form. */
const scripted =
  (script: string, options?: string) =>
  ({ form, snippet }: PageParts) =>
    `<form ${form}>${fields}${button}</form>${snippet(options)}<script>{ const form = document.querySelector("form"); ${script} }</script>`;
/** The same with the script before the snippet. */
const scriptedBefore =
  (script: string, attributes = "") =>
  ({ form, snippet }: PageParts) =>
    `<form ${form} ${attributes}>${fields}${button}</form><script>{ const form = document.querySelector("form"); ${script} }</script>${snippet()}`;

interface Scripted extends Pick<PageCase, "title" | "ending" | "isInEachRun"> {
  readonly script?: string;
  readonly before?: string;
  readonly attributes?: string;
  readonly options?: string;
  readonly probe?: PageCase["probe"];
  readonly steps?: PageCase["steps"];
  readonly afterwards?: (tab: Tab) => Promise<unknown>;
}

const cases: readonly Scripted[] = [
  {
    title: "of fields that onSubmit locks",
    ending: sent,
    isInEachRun: true,
    options: `{ onSubmit: () => { document.querySelector("fieldset").disabled = true } }`,
  },
  {
    title: "of fields that a listener of sealpost:submit locks",
    ending: sent,
    isInEachRun: true,
    script: `form.addEventListener("sealpost:submit", () => { form.querySelector("fieldset").disabled = true })`,
  },
  {
    title: "of fields that a listener of sealpost:submit removes",
    ending: sent,
    script: `form.addEventListener("sealpost:submit", () => form.querySelector("fieldset").remove())`,
  },
  {
    title: "of fields that are locked while they are being sent",
    ending: sent,
    script: `form.addEventListener("submit", () => setTimeout(() => { form.querySelector("fieldset").disabled = true }))`,
  },
  {
    title: "of fields that a listener of submit, added after the snippet, locks: without them",
    ending: sent,
    script: `form.addEventListener("submit", () => { form.querySelector("fieldset").disabled = true })`,
  },
  {
    title: "with a signature that is written at submit, after the snippet",
    ending: sent,
    script: `form.addEventListener("submit", () => { form.elements.signature.value = "signed" })`,
  },
  {
    title: "with a signature that a listener of the window writes at last",
    ending: sent,
    script: `addEventListener("submit", () => { form.elements.signature.value = "signed" })`,
  },
  {
    title: "with fields that a listener of formdata adds and changes, which is called once before it is sent",
    ending: sent,
    isInEachRun: true,
    script: `form.addEventListener("formdata", ({ formData }) => { sessionStorage.times = Number(sessionStorage.times ?? 0) + 1; formData.append("added", sessionStorage.times); formData.delete("signature"); formData.set("by", "script") })`,
    // And once more when the form was emptied, for what a second press would find there.
    afterwards: async (tab) => assert.match((await tab.run(() => sessionStorage.times)) ?? "", /^[12]$/),
  },
  {
    title: "of fields that the page's own check, added after the snippet, refuses: nothing",
    ending: nothing,
    script: `form.addEventListener("submit", (event) => { if (!document.querySelector("textarea").value.includes("snow")) { event.preventDefault(); event.stopPropagation(); form.querySelector("fieldset").className = "invalid" } })`,
    probe: () => document.querySelector("fieldset")?.className,
  },
  {
    title: "of fields that a check on the window, the last there is, refuses: nothing",
    ending: nothing,
    isInEachRun: true,
    script: `addEventListener("submit", (event) => event.preventDefault())`,
  },
  {
    title: "of a form whose onsubmit attribute returns false: nothing",
    ending: nothing,
    attributes: `onsubmit="return false"`,
    before: "",
  },
  {
    title: "of a form whose submit event a listener before the snippet keeps from all others",
    ending: sent,
    before: `form.addEventListener("submit", (event) => event.stopImmediatePropagation())`,
  },
  {
    title: "of a form whose submit event the window keeps from all others",
    ending: sent,
    before: `addEventListener("submit", (event) => event.stopImmediatePropagation(), true)`,
  },
  {
    title: "of a form whose button a listener replaces while it is being submitted",
    ending: sent,
    script: `form.addEventListener("submit", (event) => event.submitter.replaceWith("Sending"))`,
  },
  {
    title: "of a form whose button a listener replaces before the embed hears of it",
    ending: sent,
    before: `form.addEventListener("submit", (event) => event.submitter.replaceWith("Sending"))`,
  },
  {
    title: "of a form whose button and fields are gone while they are being sent",
    ending: sent,
    script: `form.addEventListener("submit", () => setTimeout(() => { for (const child of [...form.children]) child.remove() }))`,
  },
  {
    title: "of a form that a listener takes out of the page: nothing",
    ending: nothing,
    script: `form.addEventListener("submit", () => form.remove())`,
  },
  {
    title: "with a hidden field that counts the seconds, and does not count as a change of the visitor's",
    ending: sent,
    script: `let count = 0; setInterval(() => { if (form.dataset.sealpostState === "sending") form.elements.signature.value = String(++count) }, 1)`,
  },
  {
    title: "of a page that submits twice in a row: once",
    ending: sent,
    script: `form.querySelector("button").addEventListener("click", (event) => { event.preventDefault(); form.requestSubmit(); form.requestSubmit() })`,
  },
  {
    title: "of a form that the page submits by requestSubmit, with the button that it names",
    ending: sent,
    isInEachRun: true,
    script: `const button = form.querySelector("button"); button.type = "button"; button.addEventListener("click", () => { button.type = "submit"; form.requestSubmit(button) })`,
  },
];

export const scriptCases: readonly PageCase[] = cases.map(
  ({ script = "", before, attributes, options, steps = typeAndPress, ...others }) => ({
    ...others,
    steps,
    html: before === undefined ? scripted(script, options) : scriptedBefore(before, attributes),
  }),
);
