import assert from "node:assert/strict";
import type { Tab } from "../browsers/tab.ts";
import type { PageCase, PageParts } from "./page-case.ts";

// The ways by which answers left in plain although the form was bound, or of another form next to it.

const sent = { kind: "sent" } as const;
/** Which of several forms is meant nobody can know: to send each, or to say that none is sent, are both right. */
const sentOrRefused = { kind: "sent", mayRefuse: "several forms of the page have the id" } as const;
const sentOrNoticed = { kind: "sent", mayRefuse: "the page replaced what sealing needs" } as const;
const markups = ["bare", "dialog", "post"] as const;
const fields = `<label>Message <textarea name="message"></textarea></label>`;
const typeAndPress = async (tab: Tab, button = "Send") => {
  await tab.fill("Message", "whether it rains");
  await tab.click({ button });
};
const page =
  (script: string, content = fields) =>
  ({ form, snippet }: PageParts) =>
    `<form ${form}>${content}<button>Send</button></form><button type="button" id="page">Page</button>${snippet()}<script>{ const form = document.querySelector("form"); const button = document.querySelector("#page"); ${script} }</script>`;
const prototypes = `Array.prototype.toJSON = function () { return "[" + this.map((x) => JSON.stringify(x)).join(", ") + "]" };`;

export const escapeCases: readonly PageCase[] = [
  {
    title: "of a form that a script sends by form.submit(), without validation and button",
    ending: sent,
    isInEachRun: true,
    markups,
    html: page(`button.onclick = () => form.submit()`, `${fields}<input name="needed" required>`),
    steps: (tab) => typeAndPress(tab, "Page"),
  },
  {
    title: "of a form that a script sends by the submit of all forms, since a field is called submit",
    ending: sent,
    markups,
    html: page(
      `button.onclick = () => HTMLFormElement.prototype.submit.call(form)`,
      `${fields}<input type="hidden" name="submit" value="1"><input type="hidden" name="action" value="2"><input type="hidden" name="method" value="3">`,
    ),
    steps: (tab) => typeAndPress(tab, "Page"),
  },
  {
    title: "of a clone of the form, as sliders make them",
    ending: sent,
    markups,
    html: page(
      `button.onclick = () => { const clone = form.cloneNode(true); form.remove(); document.body.append(clone); clone.querySelector("textarea").setAttribute("aria-label", "Cloned") }`,
    ),
    async steps(tab) {
      await tab.click({ button: "Page" });
      await tab.fill("Cloned", "from the clone");
      await tab.click({ button: "Send" });
    },
  },
  {
    title: "of a clone of the form that is there as well",
    ending: sentOrRefused,
    isInEachRun: true,
    markups,
    html: page(
      `button.onclick = () => { const clone = form.cloneNode(true); document.body.append(clone); clone.querySelector("button").textContent = "Clone"; clone.querySelector("textarea").setAttribute("aria-label", "Cloned") }`,
    ),
    async steps(tab) {
      await tab.click({ button: "Page" });
      await tab.fill("Cloned", "from the clone");
      await tab.click({ button: "Clone" });
    },
  },
  {
    title: "of the second form with the same id, as for desktop and phone",
    ending: sentOrRefused,
    isInEachRun: true,
    markups,
    html: ({ form, snippet }) =>
      `<form ${form}><input name="desktop" value="1"><button>First</button></form><form ${form}>${fields}<button>Send</button></form>${snippet()}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "of the page's own form, where a hidden one with its id was put before it",
    ending: sentOrRefused,
    markups,
    html: ({ form, snippet, formId }) =>
      `<form data-sealpost="${formId}" hidden></form><form ${form}>${fields}<button>Send</button></form>${snippet()}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "of a form that a script of the page marks again after another was injected",
    ending: sentOrRefused,
    markups,
    html: page(
      `button.onclick = () => { const other = document.createElement("form"); other.hidden = true; if (form.dataset.sealpost) other.dataset.sealpost = form.dataset.sealpost; document.body.prepend(other) }`,
    ),
    async steps(tab) {
      await tab.click({ button: "Page" });
      await typeAndPress(tab);
    },
  },
  {
    title: "of a page-wide form of ASP.NET, whose search is nobody's business: they go to the page's own server",
    ending: { kind: "elsewhere", path: "/default.aspx" },
    isInEachRun: true,
    markups: ["none"],
    html: ({ snippet }) =>
      `<form method="post" action="/default.aspx" id="aspnetForm" enctype="multipart/form-data"><input type="hidden" name="__VIEWSTATE" value="x"><label>Search <input name="search"></label><button>Find</button>${snippet()}</form>`,
    async steps(tab) {
      await tab.fill("Search", "opening hours");
      await tab.click({ button: "Find" });
    },
  },
  {
    title: "on a page that fetches each form by itself after a click on a boosted link and a submit",
    ending: sent,
    isInEachRun: true,
    markups,
    html: ({ form, snippet }) =>
      `<form ${form}>${fields}<button>Send</button></form>${snippet()}<script>
        document.addEventListener("submit", (event) => {
          if (event.defaultPrevented) return;
          event.preventDefault();
          const form = event.target;
          if (form.getAttribute("method") === "dialog") return;
          const data = new FormData(form, event.submitter);
          const isPost = form.method === "post";
          fetch(isPost ? form.action : form.action + "?" + new URLSearchParams(data), { method: form.method, ...(isPost && { body: data }) });
        });
      </script>`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "on a page with Prototype's toJSON of lists",
    ending: sentOrNoticed,
    html: ({ form, snippet }) =>
      `<script>${prototypes}</script><form ${form}>${fields}<input name="c[]" value="1"><input name="c[]" value="2"><button>Send</button></form>${snippet()}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "on a page whose Array.from is MooTools'",
    ending: sentOrNoticed,
    html: ({ form, snippet }) =>
      `<script>Array.from = (item) => item == null ? [] : typeof item.length === "number" && typeof item !== "string" ? Array.prototype.slice.call(item) : [item]</script><form ${form}>${fields}<button>Send</button></form>${snippet()}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "on a page whose Object.prototype has members that look like settings",
    ending: sent,
    html: ({ form, snippet, siteUrl }) =>
      `<script>Object.assign(Object.prototype, { endpoint: "${siteUrl}/evil", encryption: false, redirect: "${siteUrl}/evil", form: "form.other", piiStrip: true, headers: { x: "y" }, signal: { aborted: true }, method: "PUT", extra() {} })</script><form ${form}>${fields}<button>Send</button></form>${snippet()}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "in an old TextEncoder that knows no emoji: as they were typed, or not at all",
    ending: sentOrNoticed,
    html: ({ form, snippet }) =>
      `<script>window.TextEncoder = function () { this.encode = (s) => new Uint8Array([...s].map((c) => c.charCodeAt(0) & 127)) }</script><form ${form}>${fields}<button>Send</button></form>${snippet()}`,
    async steps(tab) {
      await tab.fill("Message", "Zoë 😀");
      await tab.click({ button: "Send" });
    },
  },
  {
    title: "of a form to which an optimiser's defer has moved the embed",
    ending: sent,
    html: ({ form, snippet }) =>
      `<form ${form}>${fields}<button>Send</button></form>${snippet().replace("<script src", "<script defer src")}`,
    steps: (tab) => typeAndPress(tab),
  },
  {
    title: "of a page whose copy of what was sent says nothing, and is sent again",
    ending: sent,
    html: page(
      `button.onclick = () => { const html = form.parentNode.innerHTML.replace(/<script.*<.script>/s, ""); form.parentNode.innerHTML = html }`,
    ),
    steps: (tab) => typeAndPress(tab),
    async afterwards(tab) {
      await tab.click({ button: "Page" });
      await tab.until(() => document.querySelector("form")?.getAttribute("data-sealpost-state") === "idle");
      assert.doesNotMatch(await tab.run(() => document.body.innerText), /Thank you/);
      await typeAndPress(tab);
      await tab.until(() => document.querySelector("form")?.getAttribute("data-sealpost-state") === "sent");
      assert.equal(await tab.run(() => document.body.innerText.split("Thank you").length - 1), 1);
    },
  },
];
