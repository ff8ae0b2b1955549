import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packages, version } from "../../scripts/release/packages.ts";

const root = join(import.meta.dirname, "..", "..");

test("every package has the repository's version, and names the others by it", () => {
  for (const file of globSync("packages/*/package.json", { cwd: root })) {
    const manifest = JSON.parse(readFileSync(join(root, file), "utf8"));
    assert.equal(manifest.version, version, file);
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      if (name.startsWith("@sealpost/")) assert.equal(wanted, version, `${file}: ${name}`);
  }
});

test("the client packages of other languages have the repository's version", () => {
  const pyproject = readFileSync(join(root, "clients", "python", "pyproject.toml"), "utf8");
  assert.equal(/^version = "(.*)"$/m.exec(pyproject)?.[1], version);
  const composer = JSON.parse(readFileSync(join(root, "clients", "php", "composer.json"), "utf8"));
  assert.equal(composer.version, version);
});

test("a release has every package that is not private, and the service with the dashboard inside", () => {
  const folders = globSync("packages/*/package.json", { cwd: root })
    .filter((file) => !JSON.parse(readFileSync(join(root, file), "utf8")).private)
    .map((file) => file.split(/[\\/]/)[1]);
  assert.deepEqual(packages.map(({ folder }) => folder).sort(), folders.concat("server").sort());
});
