import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { fingerprint } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import { createSnippets, type SnippetForm } from "../../packages/dashboard/src/form/embed-snippets.ts";
import { findInvalidOption } from "../../packages/embed/src/find-invalid-option.ts";
import { provideKeyLogs } from "../../packages/embed/src/logged-form.ts";
import { type Options, parseOptions, pinsOf } from "../../packages/embed/src/options.ts";
import { createEmbedCode } from "../../packages/server/src/embed/embed-code.ts";
import { findGuides, readBlocks, root } from "../docs/blocks.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

// As in the script of pages that pin a key log, which knows every option.
Reflect.set(globalThis, "SEALPOST_KEY_LOG", true);
provideKeyLogs(async () => ({ code: "key_log_gone", seconds: undefined, value: undefined }));

const endpoint = "https://forms.example.com";
const id = createId("form");
const script = { file: "sealpost-1.js", integrity: "sha384-AAAA" };
const pins = await Promise.all([1, 2].map(() => fingerprint(takeKeyPair().publicKey)));

/** The form as the API shows it, as far as snippets are made of it. */
function formOf(encryption: boolean): SnippetForm {
  return { id, embedCode: createEmbedCode(endpoint, script, { id, encryption }), settings: { encryption } };
}

/** The embed's options in a piece of code, in each of the ways to give them. */
const readers: Readonly<Record<string, (code: string) => Options | undefined>> = {
  html: (code) => evaluate(/Sealpost\.init\("[^"]*", (\{[\s\S]*?\})\);/.exec(code)?.[1]),
  strict: (code) =>
    /\bdata-sealpost="[^"]*"[^>]*><\/script>/.test(code)
      ? parseOptions(/data-sealpost-options='([^']*)'/.exec(code)?.[1])
      : undefined,
  react: (code) => evaluate(/const options = (\{[\s\S]*?\});/.exec(code)?.[1]),
};

function evaluate(expression: string | undefined): Options | undefined {
  return expression === undefined ? undefined : (runInNewContext(`(${expression})`) as Options); // our own code
}

describe("snippets", () => {
  test("with a key log every variant names its entry, no fingerprint, and the script that knows the option", () => {
    const pin = `3-${"A".repeat(43)}`;
    const logged = { pin, script: { path: "/embed/sealpost-key-log-1.js", integrity: "sha384-CCCC" } };
    const snippets = createSnippets(formOf(true), pins, endpoint, undefined, logged);
    for (const [variant, read] of Object.entries(readers)) {
      const options = read(Reflect.get(snippets, variant));
      assert.deepEqual([options?.keyLog, options?.keyFingerprint], [pin, undefined], variant);
      assert.equal(findInvalidOption(id, { endpoint, ...options }), undefined, variant);
    }
    for (const tag of [snippets.html, snippets.strict])
      assert.ok(tag.startsWith(`<script src="${endpoint}/embed/sealpost-key-log-1.js" integrity="sha384-CCCC"`));
    assert.match(snippets.react, /^import "@sealpost\/embed\/key-log";/);
    assert.equal(createSnippets(formOf(false), [], endpoint, undefined, logged).html.includes("keyLog"), false);
  });

  for (const accepted of [[], pins.slice(0, 1), pins])
    for (const encryption of [true, false])
      test(`every variant of the dashboard accepts ${accepted.length || "all"} keys and is ${encryption ? "" : "not "}sealed, as was chosen`, () => {
        const form = formOf(encryption);
        const snippets = createSnippets(form, accepted, "https://elsewhere.example");
        for (const [variant, read] of Object.entries(readers)) {
          const options = read(Reflect.get(snippets, variant));
          assert.ok(options, variant);
          assert.equal(findInvalidOption(id, { endpoint, ...options }), undefined, variant);
          assert.deepEqual(pinsOf(options) ?? [], encryption ? accepted : [], variant);
          assert.equal(options.encryption !== false, encryption, variant);
        }
        for (const tag of [snippets.html, snippets.strict])
          assert.ok(tag.startsWith(`<script src="${endpoint}/embed/sealpost-1.js" integrity="sha384-AAAA"`));
        assert.equal(readers.react?.(snippets.react)?.endpoint, endpoint);
        assert.doesNotMatch(snippets.form + snippets.policy, /stylesheet|style-src/);
        const style = { path: "/embed/sealpost-1.css", integrity: "sha384-BBBB" };
        const styled = createSnippets(form, accepted, "https://elsewhere.example", style);
        assert.match(
          styled.form,
          /^<link .*href="https:\/\/forms\.example\.com\/embed\/sealpost-1\.css" integrity="sha384-BBBB"/,
        );
        assert.match(styled.form, /<form data-sealpost="form_\w+" method="dialog" class="sealpost-form">/);
        assert.match(styled.policy, /style-src 'self' https:\/\/forms\.example\.com/);
        if (accepted.length === 0) assert.equal(snippets.html, form.embedCode, "as the API gives it");
      });

  test("the documents pin in every variant that they offer, with options that the embed knows", () => {
    const pinned = new Set<string>();
    const documents = [
      ...findGuides()
        .flatMap(readBlocks)
        .map(({ text }) => text),
      readEmbedReference(),
    ].join("\n\n");
    for (const code of documents.split(/\n\n(?=<|import |const )/))
      for (const [variant, read] of Object.entries(readers)) {
        const options = read(code);
        if (options === undefined) continue;
        const filled = JSON.parse(
          JSON.stringify(options).replaceAll(/the (fingerprint…|43 characters[^"]*)|(?<=")…(?=")/g, pins[0] ?? ""),
        ) as Options; // as it was
        assert.equal(findInvalidOption(id, { endpoint, ...filled }), undefined, code);
        if (pinsOf(filled) !== undefined) pinned.add(variant);
      }
    assert.deepEqual([...pinned].sort(), Object.keys(readers).sort());
  });
});

function readEmbedReference(): string {
  const text = readFileSync(join(root, "packages/embed/README.md"), "utf8");
  return [...text.matchAll(/^```html\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code).join("\n\n");
}
