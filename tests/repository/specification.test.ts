import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const specification = readFileSync(join(root, "packages", "wire", "SPECIFICATION.md"), "utf8");

test("the specification's list names each of its sections, and its changes begin with its version", () => {
  const [, list = ""] = /^Sections: ([\s\S]*?)\n\n/m.exec(specification) ?? [];
  const listed = list.split("·").map((entry) => Number.parseInt(entry, 10));
  const sections = [...specification.matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number));
  assert.deepEqual(listed, sections);
  const version = /version of this text (\d+)\./.exec(specification)?.[1];
  assert.equal(/^## 12\. .*\n\n\*\*(\d+)\*\*:/m.exec(specification)?.[1], version);
});

test("no package claims a version of the specification, which would be out of date with the next one", () => {
  for (const file of globSync(["clients/*/README.md", "packages/*/README.md", "docs/*.md"], { cwd: root }))
    assert.doesNotMatch(readFileSync(join(root, file), "utf8"), /SPECIFICATION\.md\)[^.\n]{0,20}version \d/, file);
});
