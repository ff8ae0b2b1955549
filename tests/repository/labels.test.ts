import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const specification = readFileSync(join(root, "packages/wire/SPECIFICATION.md"), "utf8");
const section = specification.slice(specification.indexOf("\n## 24. "), specification.indexOf("\n## 25. "));

const labelsOf = (text: string) =>
  [...text.matchAll(/`(sealpost(?:-[a-z]+)*\/[a-z]*\d)`/g)].map(([, label = ""]) => label);
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => labelsOf(line.split(" | ")[0] ?? ""));
const reserved = labelsOf(/^\*\*Reserved\*\*.*$/m.exec(section)?.[0] ?? "");

/** Labels that the text defines, and nothing computes yet. */
const definedAlone = ["sealpost-sealed/1"];

/** Texts that a template puts into a label, from the sources: `sealpost-device-${use}/1`, `sealpost/${version}`. */
const templates: Readonly<Record<string, readonly string[]>> = {
  "packages/envelope/src/device.ts": ["commitment", "proof", "code"].map((use) => `sealpost-device-${use}/1`),
  "packages/wire/src/payload.ts": ["sealpost/sp1", "sealpost/sp2"],
  "packages/wire/src/file-pieces.ts": ["sealpost/spf1"],
};

const sources = globSync(["packages/*/src/**/*.{ts,tsx}", "clients/**/*.{go,py,php}"], {
  cwd: root,
  exclude: ["**/node_modules/**", "**/vendor/**", "**/*.test.ts", "**/*_test.go", "**/tests/**", "**/testing/**"],
}).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test("each label of the sources has a row, and each row is one of the sources", () => {
  const used = new Set(sources.flatMap(({ text }) => text.match(/\bsealpost(?:-[a-z]+)+\/\d\b/g) ?? []));
  for (const { path, text } of sources) {
    const isTemplate = /`sealpost(?:-[a-z]+)*(?:-\$\{[^}]*\}\/\d|\/\$\{)/.test(text);
    // The service's own secrets are no business of anybody else.
    if (isTemplate && path !== "packages/server/src/instance/secret-box.ts") assert.ok(templates[path], path);
    for (const label of templates[path] ?? []) used.add(label);
  }
  assert.ok(used.size > 15, `${used.size}`);
  assert.deepEqual([...used, ...definedAlone].sort(), [...rows].sort());
});

test("each label is there once, reserved ones too, and none is the beginning of another up to its line feed", () => {
  const all = [...rows, ...reserved];
  assert.ok(reserved.length > 5);
  assert.equal(new Set(all).size, all.length);
  for (const one of all) for (const other of all) assert.ok(one === other || !`${other}\n`.startsWith(`${one}\n`), one);
});

test("what a template makes of a label is what the sources put into it", () => {
  const device = sources.find(({ path }) => path === "packages/envelope/src/device.ts")?.text ?? "";
  const uses = /type Use = ([^;]+);|use: ((?:"\w+"(?: \| )?)+)/.exec(device)?.slice(1).find(Boolean) ?? "";
  assert.deepEqual(
    [...uses.matchAll(/"(\w+)"/g)].map(([, use]) => `sealpost-device-${use}/1`).sort(),
    [...(templates["packages/envelope/src/device.ts"] ?? [])].sort(),
  );
});
