import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { createEmbedCode } from "../../server/src/embed/embed-code.ts";
import { pinSnippet } from "./pin-snippet.ts";
import { readSnippet } from "./verify/snippet.ts";

const script = { file: "sealpost-1.0.0-0123456789abcdef.js", integrity: `sha384-${"A".repeat(64)}` };
const pin = "p".repeat(43);

test("the pinned snippet names the key in the attribute and in the call, as the server's own with a pin does", () => {
  const form = { id: createId("form"), encryption: true };
  const code = createEmbedCode("https://forms.example.com", script, form);
  const pinned = pinSnippet(code, form.id, pin) ?? assert.fail("of the known shape");
  assert.equal(pinned, createEmbedCode("https://forms.example.com", script, form, pin));
  const { forms, unclear } = readSnippet(pinned);
  assert.deepEqual([forms.map(({ id }) => id), unclear], [[form.id], []]);
});

test("a snippet of another shape is not touched: half a pin would be none", () => {
  const form = { id: createId("form"), encryption: true };
  const code = createEmbedCode("https://forms.example.com", script, form);
  for (const other of [code.replace(", {}", ""), code.replace(/ data-sealpost="[^"]*"/, ""), ""])
    assert.equal(pinSnippet(other, form.id, pin), undefined);
});
