import { keys, type Tab } from "../browsers/tab.ts";
import type { PageCase, PageParts } from "./page-case.ts";

// Libraries that write into fields, lock them and make them: intl-tel-input, Alpine, TinyMCE, web components; and jquery-deparam, which
// pollutes Object.prototype by the page's address.

const sent = { kind: "sent" } as const;
const fields = `<label>Message <textarea name="message"></textarea></label>`;
async function typeAndPress(tab: Tab): Promise<void> {
  await tab.fill("Message", "whether it rains");
  await tab.click({ button: "Send" });
}

const phones = [
  ["intl-tel-input 25", "intl-tel-input-25/build", "hiddenInput"],
  ["intl-tel-input 29", "intl-tel-input/dist", "hiddenInputs"],
] as const;

const phoneCases: readonly PageCase[] = phones.map(([name, folder, option]) => ({
  title: `with the whole number and the country that ${name} writes at submit`,
  ending: sent,
  html: ({ form, snippet, script, file }) =>
    `<link rel="stylesheet" href="${file(`${folder}/css/intlTelInput.css`)}">${script(`${folder}/js/intlTelInputWithUtils.js`)}<form ${form}><label>Message <textarea name="message"></textarea></label><input id="phone" type="tel" aria-label="Phone" name="phone"><button>Send</button></form>${snippet()}<script>window.intlTelInput(document.querySelector("#phone"), { initialCountry: "de", ${option}: () => ({ phone: "phone_full", country: "phone_country" }) })</script>`,
  async steps(tab) {
    await tab.fill("Phone", "030 901820");
    await typeAndPress(tab);
  },
}));

const alpine = "alpinejs/dist/cdn.js";
const alpineCases: readonly PageCase[] = [
  {
    title: "of fields that Alpine locks while it is sending",
    ending: sent,
    html: ({ form, snippet, script }) =>
      `<form ${form} x-data="{ sending: false, count: 0 }" @submit="count++; setTimeout(() => sending = true)"><fieldset :disabled="sending">${fields}</fieldset><input type="hidden" name="count" :value="count"><button x-text="sending ? 'Sending' : 'Send'" :disabled="sending"></button></form>${snippet()}${script(alpine)}`,
    steps: typeAndPress,
  },
  {
    title: "of fields that Alpine makes and takes away while it is sending",
    ending: sent,
    html: ({ form, snippet, script }) =>
      `<form ${form} x-data="{ sending: false, names: ['Ada', 'Bo'] }" @submit="setTimeout(() => sending = true)"><template x-if="!sending"><div>${fields}<template x-for="name in names"><input name="names[]" :value="name"></template><button name="by" value="alpine">Send</button></div></template></form>${snippet()}${script(alpine)}`,
    steps: typeAndPress,
  },
  {
    title: "of a form that Alpine's own check refuses: nothing",
    ending: { kind: "nothing" },
    html: ({ form, snippet, script }) =>
      `<form ${form} x-data="{ text: '', error: '' }" @submit="if (text.length < 100) { error = 'Too short'; $event.preventDefault() }"><label>Message <textarea name="message" x-model="text"></textarea></label><button>Send</button><p x-text="error"></p></form>${snippet()}${script(alpine)}`,
    async steps(tab) {
      await typeAndPress(tab);
      await tab.see({ text: "Too short" });
    },
    probe: () => document.querySelector("p")?.textContent,
  },
];

const componentCase: PageCase = {
  title: "of a form in the shadow of a web component, which calls init itself",
  ending: sent,
  markups: ["bare", "dialog"],
  html: ({ form, snippet }) =>
    `<contact-form></contact-form>${snippet(`{ form: document.createElement("form") }`).replace(/<script>.*<.script>/s, "")}<script>
      customElements.define("contact-form", class extends HTMLElement {
        connectedCallback() {
          const root = this.attachShadow({ mode: "open" });
          root.innerHTML = \`<form ${form}><label>Message <textarea name="message"></textarea></label><input name="made" value="in the shadow"><button name="by" value="component">Send</button></form>\`;
          const form = root.querySelector("form");
          if (window.Sealpost) Sealpost.init(form.getAttribute("data-sealpost"), { form });
        }
      });
    </script>`,
  async steps(tab) {
    await tab.run(() => document.querySelector("contact-form")?.shadowRoot?.querySelector("textarea")?.focus());
    await tab.type("from the shadow");
    await tab.type(keys.tab + keys.tab + keys.space);
  },
  isSent: () => {
    const root = document.querySelector("contact-form")?.shadowRoot;
    return root?.querySelector("form[data-sealpost-state=sent]") && root.textContent?.includes("Thank you");
  },
};

/** The members that a link can put into `Object.prototype` through the page's query parser. */
const polluted: Readonly<Record<string, (siteUrl: string) => string>> = {
  endpoint: (siteUrl) => `${siteUrl}/evil`,
  encryption: () => "false",
  redirect: (siteUrl) => `${siteUrl}/evil`,
  form: () => "form.other",
  piiStrip: () => "true",
  piiTypes: () => "X",
  country: () => "US",
  dropTracking: () => "true",
  resetOnSuccess: () => "false",
  keyFingerprint: () => "x",
  keyLog: () => "1-x",
  messages: () => "x",
  method: () => "GET",
  mode: () => "no-cors",
  body: () => "x",
  headers: () => "x",
  settings: () => "x",
  extra: () => "x",
};

const deparamCases: readonly PageCase[] = [...Object.keys(polluted), "all of them"].map((name) => ({
  title: `after a link that pollutes by jquery-deparam: ${name}`,
  ending: sent,
  html: ({ form, snippet, script }: PageParts) =>
    `${script("jquery-3/dist/jquery.js")}${script("jquery-deparam/jquery-deparam.js")}<script>$.deparam(location.search.slice(1), true)</script><form class="other" hidden></form><form ${form}>${fields}<input name="utm_source" value="x"><button>Send</button></form>${snippet("{}")}`,
  query: ({ siteUrl }: PageParts) =>
    `?${Object.entries(polluted)
      .filter(([known]) => name === known || name === "all of them")
      .map(([known, value]) => `__proto__[${known}]=${value(siteUrl)}`)
      .join("&")}`,
  steps: typeAndPress,
  probe: () => location.pathname === "/evil",
}));

/** `folder`: where TinyMCE is, under `/lib/`. */
export const tinymceCases: readonly PageCase[] = (["bare", "dialog", "post"] as const).flatMap((markup) =>
  ["by its button", "by form.submit()"].map((way) => ({
    title: `with the text that TinyMCE writes when the form is sent ${way}`,
    ending: sent,
    markups: [markup],
    html: ({ form, snippet, script }: PageParts) =>
      `${script("tinymce/tinymce.js")}<form ${form}><textarea name="message"></textarea><button>Send</button></form><button type="button" onclick="document.querySelector('form').submit()">Page</button>${snippet()}<script>tinymce.init({ selector: "textarea", license_key: "gpl", promotion: false, setup: (editor) => editor.on("init", () => { document.body.dataset.ready = "yes" }) })</script>`,
    async steps(tab: Tab) {
      await tab.see({ css: "[data-ready]" });
      await tab.run(() => {
        const { tinymce } = window as unknown as { tinymce: { activeEditor: { insertContent(html: string): void } } }; // TinyMCE's own
        tinymce.activeEditor.insertContent("<b>Zoë</b> was typed here");
      });
      await tab.click({ button: way === "by its button" ? "Send" : "Page" });
    },
  })),
);

export const widgetCases: readonly PageCase[] = [...phoneCases, ...alpineCases, componentCase, ...deparamCases];
