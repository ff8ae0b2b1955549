import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dashboardFolder } from "./build.ts";

// WebKit evaluates a worker's entry a second time when a chunk imports it, and what the first evaluation holds, a private key for
// example, is missing in the second. So each worker is one file that imports nothing and that nothing imports.

const sources = join(import.meta.dirname, "src");
const workers = new Set(
  globSync("**/*.{ts,tsx}", { cwd: sources }).flatMap((file) =>
    Array.from(readFileSync(join(sources, file), "utf8").matchAll(/([\w-]+)\.ts\?worker/g), ([, name = ""]) => name),
  ),
);
const assets = join(dashboardFolder, "assets");
const built = new Map(
  globSync("*.js", { cwd: assets }).map((file) => [file, readFileSync(join(assets, file), "utf8")]),
);

/** Imports of a built file, static ones and later ones. */
function importsOf(file: string): string[] {
  const found = (built.get(file) ?? "").matchAll(/(?:\bfrom|\bimport\s*\(?)\s*["'`]\.\/([^"'`]+)["'`]/g);
  return Array.from(found, ([, imported = ""]) => imported);
}

/** The one file that was built from a worker's source. */
function fileOf(worker: string): string {
  const [file, ...others] = [...built.keys()].filter((name) => new RegExp(`^${worker}-[\\w-]{8}\\.js$`).test(name));
  assert.ok(file !== undefined && others.length === 0, `${worker}: ${[file, ...others]}`);
  return file;
}

test("each worker of the dashboard is built as one file, which imports no other and which no other imports", () => {
  assert.ok(workers.size > 0);
  const files = [...workers].map(fileOf);
  for (const file of files) assert.deepEqual(importsOf(file), [], file);
  const importers = [...built.keys()].filter((file) => importsOf(file).some((imported) => files.includes(imported)));
  assert.deepEqual(importers, []);
  // Imports are found at all.
  assert.ok([...built.keys()].some((file) => importsOf(file).length > 0));
});
