import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { messages } from "@sealpost/texts/embed";

const docs = join(import.meta.dirname, "../../../docs");
const page = readFileSync(join(docs, "embed.md"), "utf8");
const read = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8");

test("each error that the embed writes to the console is in the table of embed.md, and no other", () => {
  const sources = globSync("*.{ts,tsx}", { cwd: import.meta.dirname }).filter((path) => !path.includes(".test."));
  const written = sources
    .flatMap((path) => [...read(path).matchAll(/["`](Sealpost: [^"`]*)["`]/g)])
    .map(([, text = ""]) => text.replaceAll(/\$\{[^}]*\}/g, "…"));
  const parts = [
    ...[...read("find-invalid-option.ts").matchAll(/return "([^"]+)"/g)].map(([, part]) => part),
    ...[...read("init.ts").matchAll(/^const ambiguity = \{ "([^"]+)"/gm)].map(([, part]) => part),
  ];
  assert.ok(parts.length >= 5, "the parts of a snippet that can be wrong are found");
  const expected = [...new Set([...written, ...parts.map((part) => `Sealpost: wrong ${part}`)])];
  const section = page.slice(page.indexOf("## Errors in the console"), page.indexOf("## Spam"));
  const shown = [...section.matchAll(/^\| `(Sealpost: [^`]+)`/gm)].map(([, text]) => text);
  assert.deepEqual(shown.toSorted(), expected.toSorted());
});

test("a message of the embed that a document quotes is one that visitors read", () => {
  const known: readonly string[] = Object.values(messages);
  const quoted = globSync("*.md", { cwd: docs }).flatMap((path) =>
    [...readFileSync(join(docs, path), "utf8").matchAll(/[“"](Not sent: [^”"]+)[”"]/g)].map(([, text = ""]) => ({
      path,
      text,
    })),
  );
  assert.ok(quoted.length >= 2);
  assert.deepEqual(
    quoted.filter(({ text }) => !known.includes(text)),
    [],
  );
});
