import type { Tab } from "../browsers/tab.ts";
import type { PageCase, PageParts } from "./page-case.ts";

// Which fields a browser collects, under which names, in which order.

const sent = { kind: "sent" } as const;
const page =
  (content: string, after = "") =>
  ({ form, snippet }: PageParts) =>
    `<form ${form}>${content}<button>Send</button></form>${snippet()}${after}`;
const press = (tab: Tab) => tab.click({ button: "Send" });

export const fieldCases: readonly PageCase[] = [
  {
    title: "of every kind of field, in the page's order: chosen, checked, disabled, repeated, empty, without a name",
    ending: sent,
    html: page(
      [
        `<label>Message <textarea name="message">\nfirst\nsecond</textarea></label>`,
        `<input type="checkbox" name="topics[]" value="1" checked><input type="checkbox" name="topics[]" value="2"><input type="checkbox" name="on" checked>`,
        `<input type="radio" name="size" value="s"><input type="radio" name="size" value="m" checked>`,
        `<select name="many" multiple><option selected>a</option><option>b</option><option value="c" selected>C</option><option selected disabled>d</option></select>`,
        `<select name="one"><optgroup disabled><option selected>closed</option></optgroup><option>open</option></select>`,
        `<input name="twice" value="1"><input name="twice" value="2"><input name="empty"><input value="no name"><input name="" value="empty name">`,
        `<fieldset disabled><legend><input name="legend" value="not disabled"></legend><input name="inner" value="disabled"></fieldset>`,
        `<input name="off" value="x" disabled><input name="fixed" value="readonly" readonly><input type="hidden" name="token" value="h&#10;i">`,
        `<input type="number" name="number" value="1e3"><input type="range" name="range" min="0" max="9" value="40"><input type="color" name="color" value="#ABCDEF">`,
        `<input type="date" name="date" value="2026-02-30"><input type="email" name="mail" value="  a@b.example ">`,
        `<input type="file" name="cv"><output name="output">out</output><object name="object"></object><datalist><input name="listed" value="x"></datalist>`,
        `<template><input name="template" value="x"></template><dialog><input name="closed" value="in a closed dialog"></dialog><input name="hidden" value="unseen" hidden>`,
      ].join(""),
    ),
    async steps(tab) {
      await tab.fill("Message", " third");
      await press(tab);
    },
  },
  {
    title: "with the direction of a field that has dirname",
    ending: sent,
    isInEachRun: true,
    html: page(`<label>Comment <textarea name="comment" dirname="comment.dir" dir="auto"></textarea></label>`),
    async steps(tab) {
      await tab.fill("Comment", "שלום");
      await press(tab);
    },
  },
  {
    title: "of a page in windows-1252",
    ending: sent,
    isInEachRun: true,
    charset: "windows-1252",
    html: page(`<label>Name <input name="größe" value="Müßig, 5 €"></label>`),
    async steps(tab) {
      await tab.fill("Name", " Jörg");
      await press(tab);
    },
  },
  {
    title: "without control fields and captcha tokens, and with a field called __proto__",
    ending: sent,
    html: page(
      `<input type="hidden" name="_charset_"><input name="_subject" value="x"><input name="g-recaptcha-response" value="token"><input name="__proto__" value="p"><input name="constructor" value="c"><input name="toJSON" value="t"><label>A <input name="a"></label>`,
    ),
    async steps(tab) {
      await tab.fill("A", "1");
      await press(tab);
    },
  },
  {
    title: "of a form all of whose names begin with an underscore: nothing, and the visitor reads so",
    ending: {
      kind: "refused",
      reason: "names with an underscore are control fields: all that was typed would be lost under a thank you",
    },
    isInEachRun: true,
    html: page(`<label>Message <textarea name="_message"></textarea></label><input name="_name" value="1">`),
    async steps(tab) {
      await tab.fill("Message", "lost");
      await press(tab);
    },
  },
  {
    title: "of a form with a chosen file: nothing, and the visitor reads so",
    ending: {
      kind: "refused",
      reason: "files are not part of a submission; without the file it would be half an answer",
    },
    html: page(`<label>A <input name="a" value="1"></label><input type="file" name="cv">`),
    async steps(tab) {
      await tab.driver.choose("[type=file]", [import.meta.filename]);
      await press(tab);
    },
  },
  {
    title: "with what custom elements add, by a name that is an attribute alone, and what they leave out",
    ending: sent,
    html: ({ form, snippet }) =>
      `<script>
        customElements.define("star-rating", class extends HTMLElement {
          static formAssociated = true;
          #internals = this.attachInternals();
          connectedCallback() {
            this.attachShadow({ mode: "open" }).innerHTML = "<button type=button>Four</button>";
            this.shadowRoot.querySelector("button").onclick = () => this.#internals.setFormValue(this.getAttribute("value"));
          }
        });
        customElements.define("two-fields", class extends HTMLElement {
          static formAssociated = true;
          #internals = this.attachInternals();
          connectedCallback() {
            const data = new FormData();
            data.append("from", "1");
            data.append("to", "2");
            this.#internals.setFormValue(data);
          }
        });
      </script>
      <form ${form}><label>A <input name="a"></label><star-rating name="stars" value="4" style="display: block">rate</star-rating><star-rating name="unrated"></star-rating><two-fields name="range"></two-fields><button>Send</button></form>${snippet()}`,
    async steps(tab) {
      await tab.fill("A", "1");
      await tab.click({ css: "star-rating" });
      await press(tab);
    },
  },
];
