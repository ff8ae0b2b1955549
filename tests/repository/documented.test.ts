import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import type { Context } from "../../packages/cli/src/context.ts";
import { exitCodes } from "../../packages/cli/src/exit-code.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { settingNames } from "../../packages/server/src/config/config.ts";
import {
  settingNames as formSettingNames,
  settings as formSettings,
} from "../../packages/server/src/forms/form-settings.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The code in the first cells of a document's tables: `forms list`, `forms create`. Parameters are left out. */
function listFirstCells(document: string): readonly string[] {
  const cells = document.split("\n").flatMap((line) => /^\| (.+?) \|/.exec(line)?.[1] ?? []);
  const codes = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
  return codes.map((code) => code.replace(/ [<[-].*$/, ""));
}

function listCommands(command: Command, path: readonly string[] = []): readonly string[] {
  return command.commands.length === 0
    ? [path.join(" ")]
    : command.commands.flatMap((one) => listCommands(one, [...path, one.name()]));
}

test("every setting of the service is explained in the README or in the guide to single sign-on", () => {
  const explained = new Set([...listFirstCells(read("README.md")), ...listFirstCells(read("docs/sign-in.md"))]);
  assert.ok(settingNames.length > 30);
  assert.deepEqual(
    settingNames.filter((name) => !explained.has(name)),
    [],
  );
  const known = new Set<string>(settingNames);
  assert.deepEqual(
    [...explained].filter((name) => /^SEALPOST_[A-Z_]+$/.test(name) && !known.has(name)),
    [],
  );
});

test("section 5.2 of the contract has a row for each setting of a form, with its default, and no other", () => {
  const [, section = ""] = /^### 5\.2 .*?$([\s\S]*?)^### /m.exec(read("docs/contract.md")) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \| `(.+?)` \| \S/gm)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const expected = formSettingNames.map((name) => [name, JSON.stringify(formSettings[name].default)]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(expected));
  assert.equal(rows.length, expected.length);
});

test("the README of the command line names every command and every exit code", () => {
  const readme = read("packages/cli/README.md");
  // Nothing is run: the names are all that is asked for.
  const commands = listCommands(createProgram({ environment: {} } as Context, "0.0.0-test"));
  assert.ok(commands.length > 40);
  const named = new Set(listFirstCells(readme).map((cell) => cell.replace(/^completion .*/, "completion")));
  assert.deepEqual(
    commands.filter((command) => !named.has(command)),
    [],
  );
  const [, sentence = ""] = /Exit codes: ([\s\S]*?)\n\n/.exec(readme) ?? [];
  for (const [code] of Object.values(exitCodes)) assert.match(sentence, new RegExp(`\\b${code}\\b`), String(code));
});

test("every file and folder that the architecture and CONTRIBUTING name exists", () => {
  const files = globSync("{packages,tests,scripts,clients,bench,docs}/**/*", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  })
    .concat(globSync(["*", ".ci/*"], { cwd: root }))
    .map((file) => `/${file.replaceAll("\\", "/")}`);
  for (const page of ["docs/architecture.md", "CONTRIBUTING.md"]) {
    const named = [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w.-]+\.(?:tsx?|css|md|json|svg))`/g)].map(
      ([, name = ""]) => name,
    );
    assert.ok(named.length > 10, page);
    const ends = new Set(named.map((name) => `/${name.replace(/\/$/, "")}`));
    for (const file of files) for (const end of ends) if (file.endsWith(end)) ends.delete(end);
    assert.deepEqual([...ends], [], page);
  }
});

test("each field for an address or a number of the visitor's own, in a form to copy, says so to browsers that fill it in", () => {
  // moving.md shows a form that somebody has already.
  const guides = globSync("{README.md,docs/*.md,packages/embed/README.md}", { cwd: root }).filter(
    (path) => path !== "docs/moving.md",
  );
  const sources = [...guides, "packages/dashboard/src/form/embed-snippets.ts", "scripts/demo/page.ts"];
  const fields = sources.flatMap((path) =>
    [...read(path).matchAll(/<input\b[^>]*\btype="(email|tel)"[^>]*>/g)].map(([input, type = ""]) => ({
      path,
      input,
      type,
    })),
  );
  for (const path of ["README.md", "docs/quick-start.md", "packages/dashboard/src/form/embed-snippets.ts"])
    assert.ok(
      fields.some((field) => field.path === path),
      path,
    );
  assert.deepEqual(
    fields.filter(({ input, type }) => !new RegExp(`\\bautocomplete="${type}"`, "i").test(input)),
    [],
  );
});
