import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

// Modules take texts out of `text` when they are evaluated. A module of the first load finds its texts there; any other must wait for the rest of the
// texts, which `loading` does before it fetches a script. Without it, a script that is faster than the texts would find nothing, on some days.

const source = join(import.meta.dirname, "src");
const read = (file: string) => readFileSync(file, "utf8").replace(/^import type [^;]*;$/gm, "");
const resolve = (from: string, name: string) => join(dirname(from), name);

/** A module and all that it imports statically. */
function findClosure(entry: string): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const file of found) {
    if (!/\.tsx?$/.test(file) || !existsSync(file)) continue;
    for (const [, name = ""] of read(file).matchAll(/^(?:import|export)\b(?:[^;]*?\bfrom)? ?"(\.[^"?]+)";/gm))
      found.add(resolve(file, name));
  }
  return found;
}

const takesTexts = (entry: string) => findClosure(entry).has(join(source, "texts", "text.ts"));

/** Dynamic imports in this code: the imported file, and whether it is fetched by `loading`. */
function findLateImports(file: string, code: string): { readonly name: string; readonly waits: boolean }[] {
  // The calls around an import end where their statement begins.
  return Array.from(code.matchAll(/\bimport\("(\.[^"?]+)"\)/g), ({ 1: name = "", index }) => {
    const statement =
      code
        .slice(0, index)
        .split(/;\n|\n\n|\n[}\])]/)
        .at(-1) ?? "";
    const declared = statement.match(/const (\w+) = \(\) =>\s*$/)?.[1];
    const isLater =
      /\b(?:loading|later)\(/.test(statement) ||
      (declared !== undefined && new RegExp(`loading\\([^;]*${declared}\\(\\)`).test(code));
    return { name: resolve(file, name), waits: isLater };
  });
}

test("whatever is loaded after the first page waits for its texts", () => {
  const reached = new Set(findClosure(join(source, "app.tsx")));
  assert.ok(reached.size > 60, `${reached.size}`);
  const late: { readonly file: string; readonly name: string; readonly waits: boolean }[] = [];
  for (const file of reached) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const one of findLateImports(file, read(file))) {
      late.push({ file, ...one });
      if (!one.waits) for (const further of findClosure(one.name)) reached.add(further);
    }
  }
  assert.ok(late.filter(({ waits }) => waits).length > 30);
  assert.deepEqual(
    late.filter(({ name, waits }) => !waits && takesTexts(name)).map(({ file, name }) => `${file} imports ${name}`),
    [],
  );
});
