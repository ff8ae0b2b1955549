import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..", "..");
const tsc = join(root, "node_modules", ".bin", "tsc");
const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
  readonly references: readonly { readonly path: string }[]; // our own file
};

/** Compiled elsewhere: `npm run check -- clients` makes what it imports. */
const elsewhere = ["tests/clients/main.ts"];

async function filesOf(project: string): Promise<readonly string[]> {
  const config = resolve(root, project.endsWith(".json") ? project : join(project, "tsconfig.json"));
  const { stdout } = await promisify(execFile)(tsc, ["-p", config, "--showConfig"], { cwd: root });
  const { files = [] } = JSON.parse(stdout) as { readonly files?: readonly string[] }; // as tsc prints it
  return files.map((file) => relative(root, resolve(dirname(config), file)).replaceAll("\\", "/"));
}

// Editors do this: they look for the project that names a file. `npm run check` compiles each of these projects, and a module
// that is not found is an error there.
test("every TypeScript file of the repository belongs to a project of the root tsconfig.json", async () => {
  const known = new Set((await Promise.all(references.map(({ path }) => filesOf(path)))).flat());
  const files = globSync("{*,{bench,deploy,packages,scripts,tests}/**/*}.{ts,tsx}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  }).map((file) => file.replaceAll("\\", "/"));
  assert.ok(files.length > 500, `${files.length} files`);
  assert.deepEqual(
    files.filter((file) => !known.has(file) && !elsewhere.includes(file)),
    [],
  );
});
