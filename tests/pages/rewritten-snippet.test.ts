import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { transform } from "esbuild";
import { untilState } from "../../packages/embed/testing/browser.ts";
import { startSiteAndService } from "../../packages/embed/testing/site.ts";
import { createEmbedCode } from "../../packages/server/src/embed/embed-code.ts";

const { service, site } = await startSiteAndService();
const fields = `<input name="a" value="secret"><button>Send</button>`;

const attribute = / ([\w-]+)=(?:"([^"]*)"|'([^']*)')/g;
const rewriteAttributes = (code: string, write: (name: string, value: string) => string) =>
  code.replaceAll(attribute, (_all, name, double, single) => ` ${write(name, double ?? single)}`);
const escapeQuotes = (value: string) => value.replaceAll('"', "&quot;");
/** As HTML allows it: no white space, quotes, `=`, `<`, `>` or backtick. */
const unquoted = (name: string, value: string) =>
  /^[^\s"'=<>`]+$/.test(value) ? `${name}=${value}` : `${name}="${escapeQuotes(value)}"`;
const withInline = async (code: string, change: (script: string) => string | Promise<string>) => {
  const [, before = "", script = "", end = ""] = code.match(/^([\s\S]*<script>)([\s\S]*)(<\/script>)$/) ?? [];
  assert.notEqual(script, "");
  return `${before}${await change(script)}${end}`;
};
const minify = async (script: string) => (await transform(script, { minify: true })).code.trim();

/** Changes that minifiers, editors and optimisers of pages make to the snippet. */
const rewriters: Readonly<Record<string, (code: string) => string | Promise<string>>> = {
  "quotes dropped where HTML allows it": (code) => rewriteAttributes(code, unquoted),
  "double quotes alone": (code) => rewriteAttributes(code, (name, value) => `${name}="${escapeQuotes(value)}"`),
  "single quotes alone": (code) => rewriteAttributes(code, (name, value) => `${name}='${value}'`),
  "the inline script minified": (code) => withInline(code, minify),
  "all of it on one line, minified, without quotes": async (code) =>
    rewriteAttributes((await withInline(code, minify)).replaceAll("\n", ""), unquoted),
  "the inline script as a module": (code) => code.replace("<script>", '<script type="module">'),
  "the inline script in a function that runs once the page is ready": (code) =>
    withInline(code, (script) => `document.addEventListener("DOMContentLoaded", function () { ${script} });`),
  "attributes in the order of their names": (code) =>
    code.replace(/<script ([^>]+)><\/script>/, (_all, attributes: string) => {
      const sorted = [...` ${attributes}`.matchAll(attribute)].map(([one]) => one.trim()).sort();
      return `<script ${sorted.join(" ")}></script>`;
    }),
  "deferred, minified, without quotes": async (code) =>
    rewriteAttributes(await withInline(code, minify), unquoted).replace("<script ", "<script defer "),
  "the inline script left out": (code) => code.replace(/<script>[\s\S]*?<\/script>/, ""),
};

for (const [name, rewrite] of Object.entries(rewriters))
  test(`the snippet of the service seals the form, and keeps its pin: ${name}`, async () => {
    const form = { id: service.formId as FormId, encryption: true }; // the service's own
    for (const pin of [undefined, "A".repeat(43)]) {
      service.reset();
      const code = await rewrite(createEmbedCode(service.url, service.manifest.scripts.sealpost, form, pin));
      const page = await site.openNext(`<form>${fields}</form>${code}`);
      await page.click("button");
      const message = await untilState(page, pin === undefined ? "sent" : "error");
      if (pin !== undefined) assert.match(message, /this form has the wrong key/);
      assert.deepEqual(await service.opened(), pin === undefined ? [{ a: "secret" }] : []);
      assert.deepEqual(site.strays, []);
    }
  });
