import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { createId } from "@sealpost/wire";
import { createSnippets } from "../../packages/dashboard/src/form/embed-snippets.ts";
import { startSiteAndService } from "../../packages/embed/testing/site.ts";
import { createEmbedCode } from "../../packages/server/src/embed/embed-code.ts";
import { findGuides, readBlocks, root } from "./blocks.ts";

// Whatever we hand out with a honeypot, on pages whose styles know nothing of it.

const { site } = await startSiteAndService();
beforeEach(() => site.reset());

const field = 'name="_gotcha"';
const endpoint = "https://forms.example.com";
const id = createId("form");
const style = { path: "/embed/sealpost-1.css", integrity: "sha384-BBBB" };
const embedCode = createEmbedCode(
  endpoint,
  { file: "sealpost-1.js", integrity: "sha384-AAAA" },
  { id, encryption: false },
);
const { policy, ...snippets } = createSnippets({ id, embedCode, settings: { encryption: false } }, [], endpoint, style);

/** The files with a honeypot to paste, and what is pasted from each. */
const sources: Readonly<Record<string, readonly string[]>> = {
  "packages/dashboard/src/form/embed-snippets.ts": Object.values(snippets),
  ...Object.fromEntries(
    [...findGuides(), ...globSync("packages/*/README.md", { cwd: root })].map((guide) => [
      guide,
      readBlocks(guide)
        // Another service's form, before it moves here.
        .filter(({ mark }) => mark.kind !== "shown" || !mark.reason.includes("another service"))
        .map(({ text }) => text),
    ]),
  ),
};
const pasted = Object.entries(sources).flatMap(([file, texts]) =>
  texts.filter((text) => text.includes(field)).map((text) => [file, text] as const),
);

test("every file with a honeypot to paste is among those that are looked at", () => {
  const all = globSync(["README.md", "docs/*.md", "packages/*/README.md", "packages/*/src/**/*.{ts,tsx,css}"], {
    cwd: root,
  });
  const found = all.filter(
    (file) => !/\.test\.|\/testing\//.test(file) && readFileSync(join(root, file), "utf8").includes(field),
  );
  const known = [...new Set(pasted.map(([file]) => file)), "docs/moving.md"];
  assert.deepEqual(found.sort(), known.sort(), "docs/moving.md has that of another service");
  assert.ok(pasted.length >= 2);
});

const show = "display:block!important;visibility:visible!important;opacity:1!important;position:static!important";
const styles = {
  "no styles": "",
  "wide fields": "input{display:block;width:100%}",
  "parts of a form in a grid": "form,form>*,label{display:grid}",
  "hidden shown": "[hidden]{display:revert!important}",
  "all shown": `*{${show}}`,
};

for (const [file, text] of pasted)
  for (const [name, rules] of Object.entries(styles))
    for (const isUnderPolicy of [false, true])
      test(`nobody sees, hears or sends the honeypot of ${file} on a page with ${name}${isUnderPolicy ? ", under the policy of the Embed page" : ""}`, async () => {
        const headers = isUnderPolicy
          ? { "content-security-policy": policy.slice(policy.indexOf(":") + 1).trim() }
          : {};
        const page = await site.open(`<p>Here</p>${text}`, headers);
        // Under the policy the page's own file would be the one that is taken.
        await page.evaluate((css) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(css);
          document.adoptedStyleSheets.push(sheet);
        }, rules);
        const inputs = page.locator("input, textarea");
        assert.ok((await inputs.count()) > 0, "a control: there is a form");
        for (const input of await inputs.all())
          if (await input.isVisible()) assert.notEqual(await input.getAttribute("name"), "_gotcha");
        assert.doesNotMatch(await page.locator("body").innerText(), /Leave this empty/);
        assert.equal(await page.getByRole("textbox", { name: "Leave this empty" }).count(), 0);
        // As password managers fill in, seen or not.
        const sent = await page.evaluate(() => {
          for (const input of document.querySelectorAll<HTMLInputElement>("input, textarea")) input.value = "Jane";
          const [form] = document.forms;
          return form ? [...new FormData(form).keys()] : [];
        });
        assert.ok(sent.includes("message"));
        assert.equal(sent.includes("_gotcha"), false);
        assert.match(
          text,
          /Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off">/,
          "where it is shown all the same",
        );
        await page.close();
      });
