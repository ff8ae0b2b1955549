import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { test } from "node:test";

// docs/threat-model.md names, for each promise, the tests that hold it: a link whose text is the title and whose target is the file. A client in another language has tests of its own.
// docs/attacks.md does so for each finding of strangers and SECURITY.md for each claim that others are invited to break.

const root = join(import.meta.dirname, "../..");
const text = readFileSync(join(root, "docs/threat-model.md"), "utf8");
const findings = readFileSync(join(root, "docs/attacks.md"), "utf8");
const claims = readFileSync(join(root, "SECURITY.md"), "utf8");

interface NamedTest {
  readonly title: string;
  readonly path: string;
}

function findTests(markdown: string, folder: string): readonly NamedTest[] {
  return [...markdown.matchAll(/\[([^\]]+)\]\(((?:\.\.\/)?[^):]+(?:(?:\.test|\.check|-cases)\.ts|Test\.php))\)/g)].map(
    ([, title = "", path = ""]) => ({ title, path: normalize(join(folder, path)) }),
  );
}

/** The titles of the tests in a file, as in its source: of Node's tests and suites, of the rows of a table that each are a test, and of a PHPUnit data set. In one of many cases `…` is the case. */
function titlesOf(source: string): ReadonlySet<string> {
  const titles = source.matchAll(
    /^\s*(?:(?:(?:test|it|describe|suite)\(|title:)\s*(?:"((?:[^"\\]|\\.)+)"|`([^`]+)`)|yield '([^']+)' =>)/gm,
  );
  return new Set(
    [...titles].map(
      ([, title, pattern, dataSet]) => title ?? pattern?.replaceAll(/\$\{[^}]*\}/g, "…") ?? dataSet ?? "",
    ),
  );
}

test("every test that the threat model, the findings and the list of claims name exists, by its title and in its file", () => {
  const named = findTests(text, "docs");
  const found = findTests(findings, "docs");
  const claimed = findTests(claims, ".");
  assert.ok(named.length > 50 && found.length > 200 && claimed.length > 15);
  const missing = [...named, ...found, ...claimed].filter(({ title, path }) => {
    const file = join(root, path);
    return !existsSync(file) || !titlesOf(readFileSync(file, "utf8")).has(title);
  });
  assert.deepEqual(missing, []);
});

/** The first cells of the rows that name no test, in tables that have a column for them. */
function findUnheld(markdown: string): readonly string[] {
  const unheld: string[] = [];
  let isHeld = false;
  for (const line of markdown.split("\n")) {
    const cells = line.slice(1, -1).split("|");
    const last = cells.at(-1) ?? "";
    if (!line.startsWith("|")) isHeld = false;
    else if (last.trim() === "tests") isHeld = true;
    else if (isHeld && !/^[-|]+$/.test(line) && !/(?:(?:\.test|\.check|-cases)\.ts|Test\.php)\)/.test(last))
      unheld.push(cells[0]?.trim() ?? "");
  }
  return unheld;
}

test("every promise of the threat model and every finding names a test; only what no program can notice names none", () => {
  assert.deepEqual(findUnheld(text), ["another dashboard, or another snippet to paste"]);
  assert.deepEqual(findUnheld(findings), []);
  assert.deepEqual(findUnheld("| row | tests |\n|---|---|\n| A1 | nothing |"), ["A1"], "a control");
});

test("each row of formats, keys and lists names a test that is called after it", () => {
  const rows = [...findings.matchAll(/^\| (B\d+) \|.*$/gm)];
  const called = new Set(rows.flatMap(([line, row]) => (line.includes(`[${row}: `) ? [row] : [])));
  assert.deepEqual(
    [...called],
    Array.from({ length: 11 }, (_, index) => `B${index + 1}`),
  );
});

test("a title that no file has is noticed", () => {
  assert.ok(!titlesOf('test("a promise that is kept", () => {});').has("a promise"));
  assert.ok(titlesOf('  test("a promise that is kept", () => {});').has("a promise that is kept"));
  assert.ok(titlesOf("        yield 'one more' => [1, null];").has("one more"));
  assert.ok(titlesOf('  {\n    title:\n      "of a row",\n  },').has("of a row"));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a title as sources have it
  assert.ok(titlesOf("test(`a promise of ${one.name} that is kept`, () => {});").has("a promise of … that is kept"));
});
