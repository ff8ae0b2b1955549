/**
 * `npm run release:version -- 0.2.0`: writes the version of everything. Its place is the root's `package.json`; every package has the
 * same, and names the others by it.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const [wanted = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(wanted)) {
  console.error("npm run release:version -- 0.2.0: a version as https://semver.org has it");
  process.exit(2);
}
for (const file of ["package.json", ...globSync("packages/*/package.json", { cwd: root })]) {
  const path = join(root, file);
  const changed = readFileSync(path, "utf8")
    .replace(/^( {2}"version": )"[^"]+"/m, `$1"${wanted}"`)
    .replaceAll(/("@sealpost\/[a-z]+": )"\d[^"]*"/g, `$1"${wanted}"`);
  writeFileSync(path, changed);
}
const pyproject = join(root, "clients", "python", "pyproject.toml");
writeFileSync(pyproject, readFileSync(pyproject, "utf8").replace(/^version = ".*"$/m, `version = "${wanted}"`));
const composer = join(root, "clients", "php", "composer.json");
writeFileSync(composer, readFileSync(composer, "utf8").replace(/^( {2}"version": )"[^"]+"/m, `$1"${wanted}"`));
execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root, stdio: "ignore" });
console.log(`Everything is ${wanted} now. CHANGELOG.md wants a heading for it`);
