import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findWords, lineOf } from "./find-words.ts";
import { exceptions, patternRules, wordRules } from "./word-list.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync(
  [
    "*.{md,ts,json,yaml}",
    "Dockerfile",
    ".ci/*",
    ".github/**/*.{md,yml,yaml}",
    "{bench,clients,deploy,docs,packages,scripts,tests}/**/*.{ts,tsx,mts,mjs,js,css,html,md,sql,yaml,yml,service,svg,php,py,sh}",
  ],
  { cwd: root, exclude: (path) => /(^|[\\/])(node_modules|dist|corpus|pii-others)$|package-lock\.json$/.test(path) },
).map((path) => path.replaceAll("\\", "/"));

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

/** Links whose text is the title of the test that they lead to. */
const citedTitles = /\[[^\]\n]*\]\([^)\n]*\.(?:test|check)\.ts\)/g;

function findIn(path: string): readonly Finding[] {
  const text = readFileSync(join(root, path), "utf8");
  const inName = findWords(path, wordRules).map((found) => ({ ...found, path, line: 0 }));
  const inText = findWords(text, wordRules).map((found) => ({ ...found, path }));
  const patterns = patternRules
    .filter((rule) => rule.in?.test(path) ?? true)
    .flatMap(({ pattern, use, in: scope }) =>
      [
        ...(scope === undefined ? text : text.replace(citedTitles, (title) => " ".repeat(title.length))).matchAll(
          new RegExp(pattern, "g"),
        ),
      ].map(({ 0: word, index }) => ({
        path,
        line: lineOf(text, index),
        word,
        use,
      })),
    );
  return [...inName, ...inText, ...patterns];
}

const found = files.flatMap(findIn);
const excusedBy = ({ path, word }: Finding) =>
  exceptions.filter(
    (exception) => path.startsWith(exception.path) && exception.words.some((own) => own === "*" || own === word),
  );

test("names, comments, titles, documents and texts use the words of the field", () => {
  const wrong = found
    .filter((finding) => excusedBy(finding).length === 0)
    .map(({ path, line, word, use }) => `${path}:${line}: “${word}”, better: ${use}`);
  assert.deepEqual(wrong, []);
});

test("every exception to the list of words is needed", () => {
  const used = new Set(found.flatMap(excusedBy));
  assert.deepEqual(
    exceptions.filter((exception) => !used.has(exception)),
    [],
  );
});

test("a word is found in names of every spelling and across the lines of a comment, and not inside another word", () => {
  const words = (text: string) => findWords(text, wordRules).map(({ word }) => word);
  for (const text of ["findFault", "FAULTS", "a_fault_b", "key-uses.ts", "keyUses", "Go\n   * on", "// go\n// on"])
    assert.equal(words(text).length, 1, text);
  for (const text of ["default", "placeholder", "account holder", "he goes. On", "there is none", "stands in for it"])
    assert.deepEqual(words(text), [], text);
});

test("each rule of form finds its sample", () => {
  for (const { pattern, sample } of patternRules) assert.match(sample, pattern);
});
