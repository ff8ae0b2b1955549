import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

// Comments, titles and documents cite the contract by section and decisions by number.

const root = join(import.meta.dirname, "../..");
const files = globSync(
  [
    "*.{md,ts}",
    ".ci/*",
    "{bench,clients,deploy,docs,packages,scripts,tests}/**/*.{ts,tsx,mts,mjs,js,css,html,json,md,sql,yaml,yml,service}",
  ],
  { cwd: root, exclude: (path) => /(^|[\\/])(node_modules|dist|corpus)$/.test(path) },
)
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path !== "tests/docs/citations.test.ts");

/** `contract, section 9.3` and `contract, sections 4.3, 4.4 and 5`. */
const citation = /\bcontract,? sections? (\d+(?:\.\d+)*(?:(?:,| and) \d+(?:\.\d+)*)*)/gi;
/** Citations of texts that the repository does not have. */
const outside = /\binterface\.md\b|\bdecisions\.md\b|\bdecisions?,? section/gi;

function findSections(text: string): readonly string[] {
  return [...text.matchAll(citation)].flatMap(([, sections = ""]) => sections.split(/,? and |, /));
}

function findOutside(text: string): readonly string[] {
  return text.match(outside) ?? [];
}

const read = (path: string) => readFileSync(join(root, path), "utf8");
const contractSections = [...read("docs/contract.md").matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(
  ([, number = ""]) => number,
);
const decisions = globSync("docs/decisions/*.md", { cwd: root }).map((path) => basename(path).slice(0, 4));

test("every section of the contract that the code, the tests or the documents cite exists", () => {
  let count = 0;
  for (const path of files) {
    for (const section of findSections(read(path))) {
      count += 1;
      assert.ok(
        contractSections.includes(section),
        `${path} cites section ${section}, which docs/contract.md does not have`,
      );
    }
  }
  assert.ok(count > 50, `${count} citations`);
});

test("nothing cites a text that is not in the repository", () => {
  for (const path of files) {
    const text = read(path);
    assert.deepEqual(findOutside(text), [], path);
    for (const [, number = ""] of text.matchAll(/\bdecision (\d+)\b/gi))
      assert.ok(decisions.includes(number.padStart(4, "0")), `${path} cites decision ${number}`);
    // Tests of the documentation make up pages.
    if (path.startsWith("tests/docs/")) continue;
    for (const [name] of text.matchAll(/\bdocs\/[\w./-]+\.md\b/g))
      assert.ok(existsSync(join(root, name)), `${path} cites ${name}`);
  }
});

test("the sections of the contract are numbered in order, each number once", () => {
  assert.ok(contractSections.length > 50);
  assert.deepEqual(contractSections.toSorted(inOrder), contractSections);
  assert.deepEqual([...new Set(contractSections)], contractSections);
});

test("a section that does not exist and a text from elsewhere are noticed", () => {
  assert.deepEqual(findSections("(contract, sections 4.3, 4.4 and 5); contract, section 99.1: x"), [
    "4.3",
    "4.4",
    "5",
    "99.1",
  ]);
  assert.ok(!contractSections.includes("99.1"));
  assert.deepEqual(findOutside("interface.md 3.1; decisions, section 8"), ["interface.md", "decisions, section"]);
});

function inOrder(left: string, right: string): number {
  const [major = 0, minor = 0] = left.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = right.split(".").map(Number);
  return major - otherMajor || minor - otherMinor;
}
