import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

// These files are merged by taking the lines of both sides, which can put a line, a row or a heading in twice.

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

/** Those that are there more than once. */
function findDoubled(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

/** The first cells of the rows of each table. */
function firstCells(document: string): readonly (readonly string[])[] {
  return document
    .split(/\n(?!\|)/)
    .map((block) => block.split("\n").flatMap((line) => /^\|([^|-][^|]*)\|/.exec(line)?.[1]?.trim() ?? []));
}

test("in each release the change log has each heading and each line once", () => {
  for (const release of read("CHANGELOG.md").split(/^## /m)) {
    assert.deepEqual(findDoubled(release.match(/^###+ .*$/gm) ?? []), []);
    assert.deepEqual(findDoubled(release.match(/^- .*$/gm) ?? []), []);
  }
});

test("no table of the threat model or the glossary has two rows for one thing", () => {
  for (const path of ["docs/threat-model.md", "docs/glossary.md"])
    assert.deepEqual(firstCells(read(path)).flatMap(findDoubled), [], path);
});

const changeHeadings =
  /^(?:## Unreleased|## \d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}|### (?:Added|Changed|Deprecated|Removed|Fixed|Security)|#### .+)$/;

test("the change log has the form of Keep a Changelog: releases, kinds of changes, and a line for each change", () => {
  const [, ...parts] = read("CHANGELOG.md").split(/^(?=## )/m);
  const releases = parts.map((release) => release.trim().split("\n"));
  assert.equal(releases[0]?.[0], "## Unreleased");
  for (const release of releases) {
    for (const line of release.filter((text) => text.startsWith("#"))) assert.match(line, changeHeadings);
    const changes = release.slice(release.findIndex((text) => text.startsWith("### ")));
    for (const line of changes.filter((text) => text !== "" && !text.startsWith("#")))
      assert.match(line, /^- .+[.:`)]$/);
  }
});

test("a row and a line that are there twice are noticed", () => {
  assert.deepEqual(firstCells("| a | 1 |\n|---|---|\n| b | 2 |\n| b | 3 |").flatMap(findDoubled), ["b"]);
  assert.deepEqual(findDoubled(["- a", "- b", "- a"]), ["- a"]);
});
