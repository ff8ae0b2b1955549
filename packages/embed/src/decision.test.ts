import assert from "node:assert/strict";
import { test } from "node:test";
import { embedCode } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";
import { decide, isOwnAddress } from "./decision.ts";
import type {} from "./events.ts";

// Every combination is made twice in Chromium: with a form that is the browser's own, and with one that is bound.

const { service, site } = await startSiteAndService();

const waysByButton = ["click", "requestSubmit(button)"] as const;
const otherWays = ["requestSubmit()", "submit()", "prototype.submit", "own event"] as const;
const validities = ["valid", "invalid", "novalidate", "formnovalidate"] as const;
const formMethods = [null, "get", "Dialog"] as const;
const formActions = [null, "#part", "/draft"] as const;
const listeners = [
  "none",
  "prevents",
  "returns false",
  "prevents on the document",
  "prevents on the window",
  "stops",
  "stops all",
  "stops all on the document",
  "removes the form",
  "replaces the button",
  "locks the fields",
  "writes into a field",
  "writes into the form data",
] as const;

test("what a bound form does is what the browser would have done, whatever the button says and listeners do", async () => {
  const page = await site.open(`${embedCode(service, { form: "#none" })}`);
  const buttons = formMethods.flatMap((formMethod) => formActions.map((formAction) => ({ formMethod, formAction })));
  const presses = waysByButton.flatMap((way) => buttons.map((button) => ({ way, ...button })));
  const calls = otherWays.map((way) => ({ way, formMethod: null, formAction: null }));
  const cases = [...presses, ...calls].flatMap((attempt) =>
    validities.flatMap((validity) => listeners.map((listener) => ({ ...attempt, validity, listener }))),
  );
  const results = await page.evaluate(
    async ({ all, formId }) => {
      const main = document.body.appendChild(document.createElement("main"));
      const nextTask = () =>
        new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(0);
        });
      /** The end of a submission: where the answers go, and which. */
      async function run({ way, validity, formMethod, formAction, listener }: (typeof all)[number], isBound: boolean) {
        main.innerHTML = `<dialog open><form action="/receive" method="post"><input name="a" value="1" required><fieldset><input name="b" value="2"></fieldset><button name="by" value="button">Send</button></form></dialog>`;
        const [form] = document.forms;
        const dialog = main.querySelector("dialog");
        const button = main.querySelector("button");
        const field = main.querySelector("input");
        if (!(form && dialog && button && field)) throw new Error("no form");
        if (validity !== "valid") field.value = "";
        form.noValidate = validity === "novalidate";
        button.formNoValidate = validity === "formnovalidate";
        if (formMethod !== null) button.setAttribute("formmethod", formMethod);
        if (formAction !== null) button.setAttribute("formaction", formAction);
        const handle = isBound && Reflect.get(window, "Sealpost").init(formId, { form });
        const listening = new AbortController();
        const { signal } = listening;
        const on = (target: EventTarget, work: (event: Event) => void) =>
          target.addEventListener("submit", work, { signal });
        if (listener === "prevents") on(form, (event) => event.preventDefault());
        if (listener === "returns false") form.onsubmit = () => false;
        if (listener === "prevents on the document") on(document, (event) => event.preventDefault());
        if (listener === "prevents on the window") on(window, (event) => event.preventDefault());
        if (listener === "stops") on(form, (event) => event.stopPropagation());
        if (listener === "stops all") on(form, (event) => event.stopImmediatePropagation());
        if (listener === "stops all on the document") on(document, (event) => event.stopImmediatePropagation());
        if (listener === "removes the form") on(form, () => form.remove());
        if (listener === "replaces the button") on(form, () => button.replaceWith("Sending"));
        if (listener === "locks the fields")
          on(form, () => form.querySelector("fieldset")?.setAttribute("disabled", ""));
        if (listener === "writes into a field")
          on(form, () => {
            field.value = "written";
          });
        if (listener === "writes into the form data")
          form.addEventListener("formdata", ({ formData }) => formData.append("c", "3"));
        let outcome: unknown = "nothing";
        let collections = 0;
        addEventListener(
          "formdata",
          ({ formData }) => {
            collections++;
            if (outcome === "nothing") outcome = formAction === "/draft" ? "elsewhere" : [...formData].join();
            // The browser has collected; without its form it goes nowhere. The embed has asked for the data itself.
            if (!isBound || formAction === "/draft") form.remove();
          },
          { signal },
        );
        document.addEventListener(
          "sealpost:submit",
          (event) => {
            event.preventDefault();
            outcome = Object.entries(event.detail.fields).join();
          },
          { signal },
        );
        if (way === "click") button.click();
        else if (way === "requestSubmit(button)") form.requestSubmit(button);
        else if (way === "requestSubmit()") form.requestSubmit();
        else if (way === "submit()") form.submit();
        else if (way === "prototype.submit") HTMLFormElement.prototype.submit.call(form);
        else form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter: button }));
        if (isBound && listener.startsWith("stops all")) await nextTask();
        if (!dialog.open && outcome === "nothing") outcome = "dialog";
        listening.abort();
        main.textContent = "";
        if (handle) handle.destroy();
        const isKept = !isBound || button.getAttribute("formmethod") === formMethod;
        if (!isKept) await nextTask();
        return [outcome, collections, button.getAttribute("formmethod") === formMethod].join(" ");
      }
      const differences: unknown[] = [];
      const outcomes: Record<string, number> = {};
      for (const one of all) {
        const [native, bound] = [await run(one, false), await run(one, true)];
        outcomes[native] = (outcomes[native] ?? 0) + 1;
        if (native !== bound) differences.push([one, native, bound]);
      }
      return { differences: differences.slice(0, 20), outcomes };
    },
    { all: cases, formId: service.formId },
  );
  assert.deepEqual(results.differences, []);
  // The controls: the browser does each of these.
  for (const outcome of [
    "nothing",
    "elsewhere",
    "dialog",
    "a,1,b,2,by,button",
    "a,1,b,2",
    "a,1,by,button",
    "a,written",
  ])
    assert.ok(
      Object.keys(results.outcomes).some((key) => key.startsWith(outcome)),
      outcome,
    );
});

test("the decision is the listeners' first, then the button's", () => {
  for (const button of [null, {}, { formmethod: "post" }]) assert.equal(decide(false, button), "collect");
  assert.equal(decide(false, { formmethod: "DIALOG", formaction: "/draft" }), undefined);
  assert.equal(decide(false, { formaction: "/draft" }), "elsewhere");
  for (const button of [null, { formaction: "/draft" }]) assert.equal(decide(true, button), undefined);
  assert.deepEqual([null, "", "#", "#x", "/", "x", " "].map(isOwnAddress), [
    false,
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});
