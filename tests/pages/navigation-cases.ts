import assert from "node:assert/strict";
import type { Tab } from "../browsers/tab.ts";
import type { PageCase, PageParts } from "./page-case.ts";

// Libraries that send forms and follow links by requests of their own: Turbo, htmx, Unpoly.

const sent = { kind: "sent" } as const;
const markups = ["bare", "dialog", "post"] as const;
const fields = `<label>Message <textarea name="message"></textarea></label>`;
const button = `<button name="by" value="button">Send</button>`;
async function typeAndPress(tab: Tab): Promise<void> {
  await tab.fill("Message", "whether it rains");
  await tab.click({ button: "Send" });
}

interface Library {
  readonly name: string;
  readonly files: readonly string[];
  /** The start tag of the page's body. */
  readonly body?: string;
  readonly start?: string;
}

const htmx = (version: number): Library => ({
  name: `htmx ${version}`,
  files: [`htmx-${version}/dist/htmx.js`],
  body: version < 4 ? `<body hx-boost="true">` : `<body hx-boost:inherited="true">`,
});

const libraries: readonly Library[] = [
  { name: "Turbo 8", files: ["@hotwired/turbo/dist/turbo.es2017-umd.js"] },
  htmx(1),
  htmx(2),
  htmx(4),
  {
    name: "Unpoly 3",
    files: ["unpoly/unpoly.js"],
    start: `<script>up.log.disable?.(); up.form.config.submitSelectors.push("form"); up.link.config.followSelectors.push("a[href]")</script>`,
  },
];

const head = ({ files, start = "" }: Library, { script }: PageParts) => files.map(script).join("") + start;
/** Unpoly replaces the main element. */
const around = ({ body = "<body>" }: Library, content: string) => `${body}<main>${content}</main>`;

export const navigationCases: readonly PageCase[] = libraries.flatMap((library) => [
  {
    title: `on a page on which ${library.name} sends all forms`,
    ending: sent,
    markups,
    html: (parts: PageParts) =>
      `${head(library, parts)}${around(library, `<form ${parts.form}>${fields}${button}</form>${parts.snippet()}`)}`,
    steps: typeAndPress,
  },
  {
    title: `on a page to which a link of ${library.name} led`,
    ending: sent,
    markups,
    html: (parts: PageParts) => {
      const next = parts.add(
        `${head(library, parts)}${around(library, `<form ${parts.form}>${fields}${button}</form>${parts.snippet()}`)}`,
      );
      return `${head(library, parts)}${around(library, `<a href="${next}">To the form</a>`)}`;
    },
    async steps(tab: Tab) {
      await tab.click({ button: "To the form" });
      // Scripts of a page that was put into another are loaded after it is shown. With the embed the form is marked, and then bound.
      await tab.until(() => document.querySelector("form:not([data-sealpost]), form[data-sealpost-state]") !== null);
      await typeAndPress(tab);
    },
  },
  {
    title: `after which ${library.name} leads away and back, to a form that says nothing and can be sent again`,
    ending: sent,
    html: (parts: PageParts) => {
      const next = parts.add(`${head(library, parts)}${around(library, "<p>Another page</p>")}`);
      return `${head(library, parts)}${around(library, `<form ${parts.form}>${fields}${button}</form>${parts.snippet()}<a href="${next}">Away</a>`)}`;
    },
    steps: typeAndPress,
    async afterwards(tab: Tab) {
      await tab.click({ button: "Away" });
      await tab.see({ text: "Another page" });
      await tab.run(() => history.back());
      await tab.until(() => document.querySelector("form")?.getAttribute("data-sealpost-state") === "idle");
      assert.doesNotMatch(await tab.run(() => document.body.innerText), /Thank you/);
      await typeAndPress(tab);
      await tab.until(() => document.querySelector("form[data-sealpost-state=sent]") !== null);
      assert.equal(await tab.run(() => document.body.innerText.split("Thank you").length - 1), 1);
    },
  },
]);
