import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { benchmarks } from "../../scripts/bench.ts";
import { programs as checkPrograms, steps } from "../../scripts/check.ts";
import { programs as securityPrograms } from "../../scripts/security.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> }; // our own file
const names = ({ name }: { readonly name: string }) => name;

/** The names that may follow `npm run GROUP --`; other scripts take what their programs take. */
const groups: Readonly<Record<string, readonly string[]>> = {
  bench: benchmarks.map(names),
  check: [...steps, ...checkPrograms].map(names),
  security: securityPrograms.map(names),
};

const files = globSync(
  [
    "*.md",
    "{docs,.github,.vscode,deploy,bench,scripts,tests}/**/*.{md,yml,yaml,json,ts,toml}",
    "packages/*/*.{md,ts}",
    "packages/*/src/**/*.{ts,tsx}",
    "{.spectral,redocly,compose}.yaml",
    "Dockerfile",
    ".ci/run",
  ],
  { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] },
);

function unknownCommands(text: string): readonly string[] {
  const commands = [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)(?: -- ([a-z][\w-]*))?/g)];
  return commands.flatMap(([command, script = "", part]) => {
    if (!Object.hasOwn(manifest.scripts, script)) return [command];
    const parts = groups[script];
    return part === undefined || parts === undefined || parts.includes(part) ? [] : [command];
  });
}

test("every npm script that documents, comments, workflows and editors name exists", () => {
  assert.ok(files.length > 500, `${files.length} files`);
  const found = files.flatMap((file) => unknownCommands(read(file)).map((command) => `${file}: ${command}`));
  assert.deepEqual(found, []);
});

test("a script or a member of a group that does not exist is noticed", () => {
  // In pieces, since this file is read as well.
  const [run, absent] = ["npm run", "lunch"];
  assert.deepEqual(
    unknownCommands(`${run} ${absent}, ${run} bench -- ingest --rounds 3, ${run} -s bench -- ${absent} 3`),
    [`${run} ${absent}`, `${run} -s bench -- ${absent}`],
  );
});

test("every file that an npm script runs exists", () => {
  for (const [name, command] of Object.entries(manifest.scripts)) {
    for (const [file] of command.matchAll(/\b(?:bench|deploy|packages|scripts|tests)\/[\w./-]+\.ts\b/g))
      assert.ok(existsSync(join(root, file)), `${name}: ${file}`);
  }
  for (const { name, file } of [...benchmarks, ...checkPrograms, ...securityPrograms])
    assert.ok(existsSync(join(root, file)), `${name}: ${file}`);
});

test("every benchmark has a name in npm run bench, and says that name itself", () => {
  const programs = globSync("bench/*.ts", { cwd: root }).flatMap((file) => {
    const name = /`npm run bench -- ([\w-]+)/.exec(read(file))?.[1];
    return name === undefined ? [] : [{ name, file: file.replaceAll("\\", "/") }];
  });
  const order = (parts: readonly { readonly name: string; readonly file: string }[]) =>
    parts.map(({ name, file }) => `${name}: ${file}`).sort();
  assert.deepEqual(order(programs), order(benchmarks));
});

test("docs/commands.md names every npm script once, and says how long it takes", () => {
  const rows = read("docs/commands.md")
    .split("\n")
    .filter((line) => /^\| `npm /.test(line))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));
  for (const [command, , time] of rows) assert.match(time ?? "", /\b(s|min|h)\b|^until/, `${command} takes: ${time}`);
  const named = rows.map(([command = ""]) => /`npm (?:run (?:-s )?)?([\w:-]+)/.exec(command)?.[1] ?? command);
  assert.deepEqual(named.toSorted(), Object.keys(manifest.scripts).toSorted());
});

test("CONTRIBUTING is two screens, and leads to every page that it left the details to", () => {
  const text = read("CONTRIBUTING.md");
  assert.ok(text.split("\n").length <= 100);
  for (const page of ["architecture", "commands", "dependencies", "releasing"])
    assert.ok(text.includes(`](docs/${page}.md)`), page);
});
